// Neighbors of every particle: counted in a first dispatch, written in a second. A group of 8 lanes
// takes an occupied cell, a lane one of its particles; candidates are loaded once per lane and passed
// round the group, since loads are what costs on a software driver.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "cells.glsl"
#include "kernel.glsl"
#include "symmetric.glsl"
#include "metric.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool FILL = false;
layout(constant_id = 2) const bool ONE_BODY = false;
layout(constant_id = 3) const bool METRIC = true;

const uint GROUP = 8u;

// Square root of the weight of the memory, quantized to the 8 bits that the index leaves.
uint weight_code(float distance2, uint body, uint b) {
    if (!ONE_BODY) {
        uvec4 other = identity(b);
        if (other.z != body) return 0u;
    }
    return uint(255.0 * sqrt(kernel_fraction(sqrt(distance2) / push.kernel_radius)) + 0.5);
}

void main() {
    uint lane = gl_SubgroupInvocationID & (GROUP - 1u);
    uint slot = invocation() / GROUP;
    bool live = slot < color_count(COLORS);
    uint cell = live ? occupied_cell(slot) : 0u;
    ivec3 center = cell_coordinates(cell);
    uint first = live ? cell_start(cell) : 0u;
    uint last = live ? cell_start(cell + 1u) : 0u;
    float support2 = 4.0 * push.kernel_radius * push.kernel_radius;
    float close = push.contact_distance;

    for (uint base = first; base < last; base += GROUP) {
        uint p = base + lane;
        bool mine = p < last;
        vec3 xp = position(min(p, last - 1u)).xyz;
        uvec4 self = ONE_BODY ? uvec4(0u) : identity(min(p, last - 1u));
        uint near_end = 0u;
        uint far_end = 0u;
        Symmetric metric = FILL && METRIC ? metric_of(min(p, last - 1u)) : symmetric_zero();
        if (FILL && mine) {
            uvec2 range = neighbor_range(p);
            near_end = range.x;
            far_end = range.x + (range.y >> 16);
        }
        for (int n = 0; n < 27; ++n) {
            uint other = cell_index(center + ivec3(n % 3, n / 3 % 3, n / 9) - 1);
            uint stop = cell_start(other + 1u);
            for (uint j = cell_start(other); j < stop; j += GROUP) {
                vec3 candidates = position(min(j + lane, stop - 1u)).xyz;
                for (uint b = j; b < min(j + GROUP, stop); ++b) {
                    vec3 d = subgroupShuffle(candidates, (gl_SubgroupInvocationID & ~(GROUP - 1u)) + (b - j)) - xp;
                    float d2 = dot(d, d);
                    if (d2 < support2 && b != p && mine) {
                        bool is_near = d2 < close * close;
                        if (FILL) {
                            uint at = is_near ? near_end : far_end;
                            if (at < push.pair_capacity) {
                                pair(at) = uvec4(b | weight_code(unstrained2(metric, d), self.z, b) << 24, floatBitsToUint(d));
                            }
                        }
                        near_end += uint(is_near);
                        far_end += uint(!is_near);
                    }
                }
            }
        }
        if (!FILL && mine) {
            uint count = near_end + far_end;
            if (count > 0xffffu) {
                atomicOr(status(STATUS_FAILED), FAILED_LIST);
                uvec4 crowded = identity(p);
                atomicMin(status(STATUS_PARTICLE), crowded.x);
            }
            neighbor_range(p) = uvec2(0u, min(count, 0xffffu) | min(near_end, 0xffffu) << 16);
            neighbor_count(p) = count;
        }
    }
}
