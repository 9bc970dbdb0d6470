// Lists the neighbors of every particle. A group of 8 lanes handles an occupied cell, each lane one of its particles; each candidate
// is loaded by one lane and passed around the group, since loads dominate the cost on a software driver. Hits are marked as bits, so
// that the lanes write their records in step. Lists are in order of arrival; no result depends on that order.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "cells.glsl"
#include "neighborhood.glsl"
#include "kernel.glsl"
#include "symmetric.glsl"
#include "metric.glsl"
#include "bodies.glsl"
#include "exact_sum.glsl"
#include "total.glsl"
#ifdef WALLS
#include "constraints/colliders/walls.glsl"
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool METRIC = true;
layout(constant_id = 2) const bool ASCENDING = false; // for reverse_pairs

const uint GROUP = 8u;
const uint CHUNK = 32u; // candidates per chunk, one bit each
const uint KEPT = 27u;  // chunks whose bits are kept; those of further chunks are computed twice
const float FAR = 1e30; // coordinate of a missing candidate [m]

// Returns the number of neighbors that a particle keeps.
uint kept_count(uint id) {
#ifdef FIRST_TOTAL
    if (is_total(id)) return total_start(id - FIRST_TOTAL + 1u) - total_start(id - FIRST_TOTAL);
#endif
    return 0u;
}

#ifdef FIRST_TOTAL
// Returns true if a particle of a total body keeps `other` as a neighbor.
bool is_kept(uint id, uint other) {
    uint low = total_start(id - FIRST_TOTAL), end = total_start(id - FIRST_TOTAL + 1u);
    while (low < end) {
        uint middle = (low + end) / 2u;
        uvec4 entry = total_pair(middle);
        uint found = entry.x & INDEX_MASK;
        if (found == other) return true;
        if (found < other) low = middle + 1u;
        else end = middle;
    }
    return false;
}
#endif

// Returns the square root of the memory weight, quantized to the 8 bits that the index leaves free.
uint weight_code(float distance2, uint body, uint b) {
    if (!ONE_BODY) {
        uvec4 other = identity(b);
        if (!is_weighed(body, body_of(other))) return 0u;
    }
    return uint(255.0 * sqrt(kernel_fraction(sqrt(distance2) / push.kernel_radius)) + 0.5);
}

uint from_lane(uint value, uint lane) {
    return subgroupShuffle(value, (gl_SubgroupInvocationID & ~(GROUP - 1u)) + lane);
}

// Returns the candidates as a range [first, end): the particles of `width` adjacent cells. If ASCENDING, the cells ascend with n,
// even where the grid wraps around.
uvec2 candidates_of(ivec3 corner, int n, int width) {
    ivec3 size = ivec3(push.grid_x, push.grid_y, push.grid_z);
    ivec3 turn = ASCENDING ? ivec3(lessThan(corner, ivec3(0))) + 2 * ivec3(equal(corner + 2, size)) : ivec3(0);
    ivec3 cell = corner + (ivec3(n % 3, n / 3 % 3, n / 9) + turn) % 3;
    return uvec2(cell_start(cell_index(cell)), cell_start(cell_index(cell + ivec3(width - 1, 0, 0)) + 1u));
}

// Returns |d|^2, rounded identically at every use.
float square_of(vec3 d) {
    precise float d2 = d.x * d.x + d.y * d.y + d.z * d.z;
    return d2;
}

// Removes the candidates from `j` on that cannot be neighbors, and from those that may touch the ones that may come close.
uvec2 met(uint body, uint j, uvec2 hits) {
    for (uint left = hits.x; left != 0u; left &= left - 1u) {
        uint bit = findLSB(left);
        uvec4 other = identity(j + bit);
        if (!is_listed(body, body_of(other))) hits &= ~(1u << bit);
        if (!is_kept_apart(body, body_of(other))) hits.y &= ~(1u << bit);
    }
    return hits;
}

// Removes the candidates from `j` on that p meets neither in contact nor as matter: total bodies see others in contact alone, and
// neighbors that they keep not even there. `hits`: within the support, near enough for contact.
uvec2 touched(uvec4 self, uint j, uvec2 hits) {
#ifdef FIRST_TOTAL
    bool total = is_total(id_of(self));
    if (total) hits.x &= hits.y;
    for (uint left = hits.x; left != 0u; left &= left - 1u) {
        uint bit = left & -left;
        uvec4 other = identity(j + findLSB(left));
        bool gone = total ? is_kept(id_of(self), id_of(other)) : (hits.y & bit) == 0u && is_total(id_of(other));
        if (gone) hits &= ~bit;
    }
#endif
    return hits;
}

// Removes the candidates from `j` on that are beyond a wall of p.
uvec2 this_side(uint p, vec3 xp, uint j, uvec2 hits) {
#ifdef WALLS
    if (walled(p) == 0u) return hits;
    for (uint left = hits.x; left != 0u; left &= left - 1u) {
        uint b = j + findLSB(left);
        if (b != p && is_divided(p, b, position(b).xyz - xp)) hits &= ~(left & -left);
    }
#endif
    return hits;
}

// Returns the bits of the candidates from `j` on that lie within the support of p, p included, and how many of them may touch p.
uvec2 hits_of(uint p, vec3 xp, uvec4 self, float support2, float contact2, uint lane, uint j, uint end) {
    uvec2 hits = uvec2(0u);
    for (uint k = j; k < min(j + CHUNK, end); k += GROUP) {
        vec3 candidate = k + lane < end ? position(min(k + lane, end - 1u)).xyz : vec3(FAR);
        [[unroll]] for (uint i = 0u; i < GROUP; ++i) {
            vec3 d = subgroupShuffle(candidate, (gl_SubgroupInvocationID & ~(GROUP - 1u)) + i) - xp;
            float d2 = square_of(d);
            hits |= mix(uvec2(0u), uvec2(1u << (k + i - j)), lessThan(vec2(d2), vec2(support2, contact2)));
        }
    }
    if (!lists_all(body_of(self))) hits = met(body_of(self), j, hits);
    hits = touched(self, j, hits);
    hits = this_side(p, xp, j, hits);
    return uvec2(hits.x, bitCount(hits.y));
}

// Reserves room for `stride` interleaved lists, `count` records in that of this lane, and returns the index of its first record.
uint place(uint count, uint stride, uint lane) {
    uint sum = count, longest = count;
    for (uint step = 1u; step < GROUP; step *= 2u) {
        sum += from_lane(sum, lane ^ step);
        longest = max(longest, from_lane(longest, lane ^ step));
    }
    uint start = 0u;
    if (lane == 0u && sum > 0u) {
        atomicAdd(status(STATUS_PAIRS), sum);
        start = atomicAdd(status(STATUS_RECORDS_NEEDED), stride * longest);
    }
    return from_lane(start, 0u) + lane;
}

// Writes the records of the candidates from `j` on.
void write(uint p, vec3 xp, uint body, Symmetric metric, float contact2, uint stride, uint j, uint hits, inout uint near, inout uint far) {
    if (p - j < CHUNK) hits &= ~(1u << (p - j));
    for (; hits != 0u; hits &= hits - 1u) {
        uint b = j + findLSB(hits);
        vec3 d = position(b).xyz - xp;
        bool apart = true;
        if (!lists_all(body)) {
            uvec4 other = identity(b);
            apart = is_kept_apart(body, body_of(other));
        }
        uint touches = uint(apart && square_of(d) < contact2);
        uint at = touches != 0u ? near : far;
        near += touches * stride;
        far += (1u - touches) * stride;
        if (at < push.pair_capacity) {
            pair(at) = uvec4(b | weight_code(unstrained2(metric, d), body, b) << 24, floatBitsToUint(d));
        }
    }
}

void main() {
    uint lane = gl_SubgroupInvocationID & (GROUP - 1u);
    uint slot = invocation() / GROUP;
    bool live = slot < color_count(COLORS);
    uint cell = live ? occupied_cell(slot) : 0u;
    ivec3 corner = cell_coordinates(cell) - 1;
    // Cells of a row are consecutive unless the row wraps around.
    int width = corner.x >= 0 && corner.x + 2 < int(push.grid_x) ? 3 : 1;
    uint first = live ? cell_start(cell) : 0u;
    uint last = live ? cell_start(cell + 1u) : 0u;
    float support2 = 4.0 * push.kernel_radius * push.kernel_radius;
    float contact2 = min(push.contact_distance * push.contact_distance, support2);

    for (uint base = first; base < last; base += GROUP) {
        uint p = min(base + lane, last - 1u);
        bool mine = base + lane < last;
        vec3 xp = position(p).xyz;
        uvec4 self = identity(p);

        uvec2 kept[KEPT]; // first candidate, bits
        uint chunks = 0u;
        uvec2 count = uvec2(0u);
        for (int n = 0; n < 27; n += width) {
            uvec2 span = candidates_of(corner, n, width);
            for (uint j = span.x; j < span.y; j += CHUNK) {
                uvec2 hits = hits_of(p, xp, self, support2, contact2, lane, j, span.y);
                count += uvec2(bitCount(hits.x), hits.y);
                if (chunks < KEPT) kept[chunks] = uvec2(j, hits.x);
                ++chunks;
            }
        }
        // A particle is not its own neighbor.
        if (is_listed(body_of(self), body_of(self))) --count.x;
        if (is_kept_apart(body_of(self), body_of(self)) && contact2 > 0.0) --count.y;
        count.x += kept_count(id_of(self));
        if (mine && count.x > MOST_NEIGHBORS) {
            atomicOr(status(STATUS_FAILED), FAILED_LIST);
            atomicMin(status(STATUS_PARTICLE), id_of(self));
        }
        count = min(count, uvec2(MOST_NEIGHBORS));
        uint stride = min(last - base, GROUP);
        uint start = place(mine ? count.x : 0u, stride, lane);
        if (mine) neighbor_range(p) = list_of(start, stride, count.x, count.y);

        Symmetric metric = METRIC ? metric_of(p) : symmetric_zero();
        uint near = start;
        uint far = start + count.y * stride;
        for (uint c = 0u; c < min(chunks, KEPT); ++c) {
            write(p, xp, body_of(self), metric, contact2, stride, kept[c].x, mine ? kept[c].y : 0u, near, far);
        }
        if (chunks <= KEPT) continue;
        chunks = 0u;
        for (int n = 0; n < 27; n += width) {
            uvec2 span = candidates_of(corner, n, width);
            for (uint j = span.x; j < span.y; j += CHUNK) {
                ++chunks;
                if (chunks <= KEPT) continue;
                uvec2 hits = hits_of(p, xp, self, support2, contact2, lane, j, span.y);
                write(p, xp, body_of(self), metric, contact2, stride, j, mine ? hits.x : 0u, near, far);
            }
        }
    }
}
