// Adds up what the tiles of particles do to each rigid body, in a fixed order, and tells the host where the solve is. One workgroup per
// body.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 64) in;

shared vec4 lane_sum[64][LOAD_WORDS];

void main() {
    uint tiles = (push.particle_count + TILE - 1u) / TILE;
    uint body = workgroup(), lane = gl_LocalInvocationIndex;
    vec4 sum[LOAD_WORDS];
    for (uint i = 0u; i < LOAD_WORDS; ++i) sum[i] = vec4(0.0);
    if (body < push.rigid_count) {
        for (uint tile = lane; tile < tiles; tile += 64u) {
            uint at = (body * tiles + tile) * LOAD_WORDS;
            for (uint i = 0u; i < LOAD_WORDS; ++i) sum[i] += rigid_partial(at + i);
        }
    }
    for (uint i = 0u; i < LOAD_WORDS; ++i) lane_sum[lane][i] = sum[i];
    for (uint span = 32u; span > 0u; span /= 2u) {
        barrier();
        if (lane >= span) continue;
        for (uint i = 0u; i < LOAD_WORDS; ++i) lane_sum[lane][i] += lane_sum[lane + span][i];
    }
    if (lane != 0u || body >= push.rigid_count) return;
    for (uint i = 0u; i < LOAD_WORDS; ++i) rigid_load(body * LOAD_WORDS + i) = lane_sum[0][i];
    if (body != 0u) return;
    rigid_report(REPORT_FAILED) = status(STATUS_FAILED);
    rigid_report(REPORT_ITERATIONS) = status(STATUS_ITERATIONS);
    rigid_report(REPORT_MODE) = newton(NEWTON_MODE);
    rigid_report(REPORT_ACT) = newton(NEWTON_ACT);
}
