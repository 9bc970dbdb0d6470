// Finds for every particle the nearest walls within the support of its kernel, at the start of the substep. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "linked.glsl"
#include "constraints/colliders/distance.glsl"

layout(local_size_x = 64) in;

struct Walls {
    uint count;
    uint number[MAX_WALLS];
    vec4 seen[MAX_WALLS]; // unit normal, distance [m]
};

// Takes a face, unless others are nearer or one of them coincides with it.
void add(inout Walls walls, uint number, vec4 seen) {
    uint slot = walls.count, farthest = 0u;
    for (uint i = 0u; i < walls.count; ++i) {
        vec4 other = walls.seen[i] - seen;
        bool near = abs(other.w) < SEPARATION_TOLERANCE * push.kernel_radius;
        if (near && dot(other.xyz, other.xyz) < PARALLEL && walls.number[i] == number) return;
        if (walls.seen[i].w > walls.seen[farthest].w) farthest = i;
    }
    if (slot == MAX_WALLS) {
        slot = farthest;
        if (seen.w >= walls.seen[slot].w) return;
    } else {
        ++walls.count;
    }
    walls.number[slot] = number;
    walls.seen[slot] = seen;
}

#ifdef SHEETS
#include "constraints/sheets/starts.glsl"
#include "constraints/sheets/tree.glsl"

// Takes the nearest triangle of each sheet.
void add_sheets(inout Walls walls, uint p, vec3 x, float support) {
    vec3 low = x - support, high = x + support;
    uint node = 1u;
    if (next_triangle(node, low, high) == NOTHING) return;
    for (uint of = 0u; of < SHEETS; ++of) {
        vec4 nearest = vec4(vec3(0.0), support);
        node = 1u;
        for (uint t = next_triangle(node, low, high); t != NOTHING; t = next_triangle(node, low, high)) {
            uvec4 word = sheet_triangle(2u * t);
            if (word.w != of) continue;
            Members start = starts_of(uvec4(p, corners_of(t)));
            Approach found;
            approaches(false, start, start, found);
            if (found.distance < nearest.w) nearest = vec4(found.normal, found.distance);
        }
        if (nearest.w < support) add(walls, push.collider_count + of + 1u, nearest);
    }
}
#endif

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec3 x = position(p).xyz;
    float support = 2.0 * push.kernel_radius;
    Walls walls;
    walls.count = 0u;
    for (uint face = 0u; face < push.collider_count; ++face) {
        uint at = push.first_collider + face * COLLIDER_WORDS;
        vec4 head = collider(at);
        if (head.z <= 0.0) continue;
        vec4 seen = collider_distance(at, carried(at, x, support), support);
#ifdef MESHES
        vec4 center = collider(at + 2u);
        uint sheet = uint(center.w);
        bool behind = sheet == SHEET_FRONT ? seen.w < 0.0 : sheet == SHEET_BACK && seen.w <= 0.0;
        if (seen_at_cut || behind) continue;
#endif
        if (abs(seen.w) < support) add(walls, uint(head.z), seen);
    }
#ifdef SHEETS
    uvec4 self = identity(p);
    if (!is_linked(id_of(self))) add_sheets(walls, p, x, support);
#endif
    uint numbers = 0u;
    for (uint i = 0u; i < walls.count; ++i) {
        numbers |= walls.number[i] << 8 * i;
        wall(p * MAX_WALLS + i) = walls.seen[i];
    }
    walled(p) = numbers;
}
