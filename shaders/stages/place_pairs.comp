// Gives every particle its range of pair records and checks that all fit. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uvec2 range = neighbor_range(p);
    neighbor_range(p) = uvec2(neighbor_start(p), range.y);
    if (p != 0u) return;
    uint needed = neighbor_start(push.particle_count);
    status(STATUS_PAIRS_NEEDED) = needed;
    if (needed > push.pair_capacity) atomicOr(status(STATUS_FAILED), FAILED_PAIRS);
}
