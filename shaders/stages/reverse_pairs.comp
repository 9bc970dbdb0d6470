// Finds, for every pair record, the record of the particle in the neighbor's own list, so that a force acts both ways along a pair
// without two invocations writing to one particle. Both parts of a list ascend, the neighbors that may touch and the others; a pair
// is looked up by its particle of smaller index. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "neighborhood.glsl"

layout(local_size_x = 64) in;

uint neighbor_at(uint i) {
    uvec4 record = pair(i);
    return record.x & INDEX_MASK;
}

// Looks up the `count` records from `first` on.
void look_up(uint p, uint first, uint stride, uint count, bool touches) {
    for (uint k = count; k > 0u; --k) {
        uint i = first + (k - 1u) * stride;
        uint b = neighbor_at(i);
        if (b < p) break;
        uvec2 other = neighbor_range(b);
        uint low = touches ? other.x : near_end(other);
        uint left = touches ? near_count(other) : neighbor_count(other) - near_count(other);
        while (left > 1u) {
            uint half_left = left / 2u;
            uint middle = low + half_left * stride_of(other);
            if (neighbor_at(middle) <= p) low = middle;
            left -= half_left;
        }
        reverse(i) = low;
        reverse(low) = i;
    }
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uvec2 range = neighbor_range(p);
    look_up(p, range.x, stride_of(range), near_count(range), true);
    look_up(p, near_end(range), stride_of(range), neighbor_count(range) - near_count(range), false);
}
