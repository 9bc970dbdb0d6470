// Counts an iteration unless the substep has converged or failed. One invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 1) in;

void main() {
    uvec4 groups = arguments(ARGUMENTS_ITERATE);
    if (groups.x != 0u) status(STATUS_ITERATIONS) += 1u;
}
