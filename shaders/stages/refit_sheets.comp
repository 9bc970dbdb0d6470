// Fits the boxes of the tree over the triangles of sheets: to the triangles at the start of the substep, or, in color 1, to their paths at
// the predicted velocities; then also finds what a solve may add to these. One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 128) in;

#ifdef SHEETS
#include "constraints/sheets/tree.glsl"

shared float range_fastest[SHEET_GROUP];

void fit_leaf(uint triangle, bool moving) {
    vec3 low = vec3(3e38), high = vec3(-3e38);
    uvec4 word = sheet_triangle(2u * min(triangle, SHEET_TRIANGLES - 1u));
    if (triangle < SHEET_TRIANGLES && word.w != NOTHING) { // it has not torn
        uvec3 corners = corners_of(triangle);
        for (uint k = 0u; k < 3u; ++k) {
            vec3 x = position(corners[k]).xyz;
            vec3 end = moving ? x + push.dt * velocity(corners[k]).xyz : x;
            low = min(low, min(x, end));
            high = max(high, max(x, end));
        }
    }
    uint node = SHEET_LEAVES + triangle;
    sheet_box(2u * node) = vec4(low, 0.0);
    sheet_box(2u * node + 1u) = vec4(high, 0.0);
}

void main() {
    uint lane = gl_LocalInvocationIndex;
    bool moving = push.color == 1u;
    for (uint triangle = lane; triangle < SHEET_LEAVES; triangle += SHEET_GROUP) fit_leaf(triangle, moving);
    for (uint level = SHEET_LEAVES / 2u; level > 0u; level /= 2u) {
        memoryBarrierBuffer();
        barrier();
        for (uint node = level + lane; node < 2u * level; node += SHEET_GROUP) {
            sheet_box(2u * node) = min(sheet_box(4u * node), sheet_box(4u * node + 2u));
            sheet_box(2u * node + 1u) = max(sheet_box(4u * node + 1u), sheet_box(4u * node + 3u));
        }
    }
    if (!moving) return;
    float fastest = 0.0;
    uint tiles = (push.particle_count + TILE - 1u) / TILE;
    for (uint tile = lane; tile < tiles; tile += SHEET_GROUP) fastest = max(fastest, sheet_speed(tile));
    range_fastest[lane] = fastest;
    barrier();
    if (lane != 0u) return;
    for (uint k = 1u; k < SHEET_GROUP; ++k) fastest = max(fastest, range_fastest[k]);
    sheet_reach(0) = min(push.dt * fastest, SHEET_SLACK * push.kernel_radius);
}
#else
void main() {}
#endif
