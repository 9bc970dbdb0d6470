// Sizes the stages that follow the neighbor search; empties them if its lists did not fit. One invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 1) in;
layout(constant_id = 0) const uint SOLVE_GROUP = 8u; // workgroup size of the colored stages
layout(constant_id = 1) const uint LANES = 1u;       // invocations per cell in the sweeps
layout(constant_id = 2) const uint SHARERS = 1u;     // invocations per tile in newton_sum

void main() {
    if (status(STATUS_RECORDS_NEEDED) > push.pair_capacity) atomicOr(status(STATUS_FAILED), FAILED_PAIRS);
    bool running = status(STATUS_FAILED) == 0u;
    uvec4 all = uvec4(linear_groups(running ? push.particle_count : 0u, 64u), 0u);
    arguments(ARGUMENTS_SOLVE) = all;
    arguments(ARGUMENTS_ITERATE) = all;
    arguments(ARGUMENTS_SUMS) = uvec4(linear_groups(running ? push.particle_count : 0u, 64u / SHARERS * TILE), 0u);
    for (uint c = 0u; c < COLORS; ++c) {
        uint cells = running ? color_count(c) : 0u;
        arguments(ARGUMENTS_COLORS + c) = uvec4(linear_groups(cells * LANES, SOLVE_GROUP), 0u);
        arguments(ARGUMENTS_RESIDUAL + c) = uvec4(linear_groups(cells, SOLVE_GROUP), 0u);
    }
}
