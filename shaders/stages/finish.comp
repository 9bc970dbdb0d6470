// Closes a substep: counts it unless it failed. One invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/status.glsl"

layout(local_size_x = 1) in;

void main() {
    if (status(STATUS_FAILED) == 0u) status(STATUS_COMPLETED) += 1u;
}
