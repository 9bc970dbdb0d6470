// Closes a substep: counts it unless it failed. One invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 1) in;

void main() {
    if (status(STATUS_FAILED) != 0u) return;
    status(STATUS_COMPLETED) += 1u;
    // Counts of a failed substep are not reported, because the substep is repeated.
    for (uint k = 0u; k < COUNTERS; ++k) status(COMMITTED_COUNTS + k) = status(COUNT_STRETCH_CLAMPED + k);
    status(COMMITTED_ITERATIONS) = status(STATUS_ITERATIONS);
}
