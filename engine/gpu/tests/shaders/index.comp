#version 460
// Writes its own index, and counts the invocations that run.
#include "attributes.glsl"
#include "include/launch.glsl"
layout(local_size_x_id = 0) in;

void main() {
    uint i = invocation();
    if (gl_LocalInvocationID.x == 0u) atomicAdd(counter(0).total, gl_WorkGroupSize.x);
    if (i < push.count) target(i) = i + 7u;
}
