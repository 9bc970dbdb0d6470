#version 460
// Writes the workgroup counts of an indirect dispatch over push.count invocations, behind an unused word.
#include "attributes.glsl"
#include "include/launch.glsl"
layout(local_size_x = 1) in;

void main() {
    uvec3 groups = linear_groups(push.count, push.width);
    arguments(1) = groups.x;
    arguments(2) = groups.y;
    arguments(3) = groups.z;
}
