#version 460
#include "attributes.glsl"
layout(local_size_x = 64) in;

void main() {
    if (gl_GlobalInvocationID.x == 0u) target(0) += 1u;
}
