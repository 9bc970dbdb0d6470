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

void look_up(uint p, uvec2 part, bool touches) {
    for (uint i = part.y; i > part.x; --i) {
        uint b = neighbor_at(i - 1u);
        if (b < p) break;
        uvec2 other = neighbor_range(b);
        uint low = touches ? other.x : near_end(other);
        uint count = (touches ? near_end(other) : neighbor_end(other)) - low;
        while (count > 1u) {
            uint step = count / 2u;
            if (neighbor_at(low + step) <= p) low += step;
            count -= step;
        }
        reverse(i - 1u) = low;
        reverse(low) = i - 1u;
    }
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uvec2 range = neighbor_range(p);
    look_up(p, uvec2(range.x, near_end(range)), true);
    look_up(p, uvec2(near_end(range), neighbor_end(range)), false);
}
