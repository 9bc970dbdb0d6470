// Lists what may touch sheets in the substep: every particle and the triangles near its path, every edge of a sheet and the later edges
// near its path. One invocation per particle, then one per edge.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "constraints/colliders/contact_radius.glsl"

layout(local_size_x = 64) in;

#ifdef SHEETS
#include "constraints/sheets/members.glsl"
#include "constraints/sheets/tree.glsl"

// Returns the bits of a word, mixed.
uint scattered(uint word) {
    word = (word ^ word >> 16) * 0x7feb352du;
    word = (word ^ word >> 15) * 0x846ca68bu;
    return word ^ word >> 16;
}

// Returns the place of a contact in the order in which contacts act one after the other (engine/problem/src/meeting.rs).
uvec2 key_of(uint a, uint b) {
    uvec2 key = uvec2(a, b);
    for (uint round = 1u; round <= 4u; ++round) key = uvec2(key.y, key.x ^ scattered(key.y + round));
    return key;
}

// Lists a contact, unless its parts are too far from each other to meet in the substep.
void list(bool edges, uvec2 key, uvec4 members, float gap, float friction) {
    if (inverse_masses_of(members) == vec4(0.0)) return;
    Members start = starts_of(members), v = motions_of(members);
    float fastest = 0.0;
    for (uint i = 1u; i < 4u; ++i) {
        if (edges && i == 1u) continue;
        fastest = max(fastest, length(v.at[i]));
        if (edges) fastest = max(fastest, length(v.at[i] - v.at[1]));
    }
    float distance = distance_of_parts(edges, start);
    if (distance > gap + push.dt * fastest + sheet_reach(0)) return;
    uint slot = atomicAdd(status(STATUS_MEETINGS), 1u);
    if (slot >= push.meeting_capacity) return;
    vec4 x = position(members.x);
    bool fluid = elastic_volume_of(x) < 0.0;
    meeting(slot) = uvec4(edges ? members.x | MEETING_EDGES : members.x, members.yzw);
    meeting_numbers(slot) = vec4(gap, min(gap, distance), fluid ? 0.0 : friction, 0.0);
    meeting_key(slot) = key;
    for (uint m = 0u; m < 4u; ++m) meeting_next(4u * slot + m) = atomicExchange(meeting_first(members[m]), 4u * slot + m);
}

// Returns the distance that parts of two sheets keep [m].
float gap_between(uint a, vec4 one, uint b, vec4 other) {
    return a == b ? own_gap_of(one) : half_thickness_of(one) + half_thickness_of(other);
}

void list_of_point(uint p) {
    uvec4 self = identity(p);
    uint own = sheet_of_body(body_of(self));
    vec4 remembered = memory(p);
    vec4 mine = sheet(own == NOTHING ? 0u : own);
    float reach = own == NOTHING ? contact_radius(rest_volume_of(remembered)) : half_thickness_of(mine);
    vec3 x = position(p).xyz, end = x + push.dt * velocity(p).xyz;
    float margin = reach + WIDEST_SHEET + sheet_reach(0);
    vec3 low = min(x, end) - margin, high = max(x, end) + margin;
    uint node = 1u;
    for (uint t = next_triangle(node, low, high); t != NOTHING; t = next_triangle(node, low, high)) {
        uvec3 corners = corners_of(t);
        if (any(equal(corners, uvec3(p)))) continue;
        uvec4 word = sheet_triangle(2u * t), more = sheet_triangle(2u * t + 1u);
        vec4 their = sheet(word.w);
        float gap = own == NOTHING ? reach + half_thickness_of(their) : gap_between(own, mine, word.w, their);
        float friction = sheet_friction_of(their);
        if (own != NOTHING) friction = min(friction, sheet_friction_of(mine));
        list(false, key_of(id_of(self), more.w), uvec4(p, corners), gap, friction);
    }
}

// Finds the box around the path of an edge.
void path_of(uvec2 ends, out vec3 low, out vec3 high) {
    vec3 a = position(ends.x).xyz, b = position(ends.y).xyz;
    vec3 da = push.dt * velocity(ends.x).xyz, db = push.dt * velocity(ends.y).xyz;
    low = min(min(a, b), min(a + da, b + db));
    high = max(max(a, b), max(a + da, b + db));
}

void list_of_edge(uint edge) {
    uvec4 word = sheet_edge(edge);
    if (word.z == NOTHING) return; // it has torn
    vec4 mine = sheet(word.z);
    uvec2 ends = uvec2(linked_place(word.x), linked_place(word.y));
    float margin = 2.0 * WIDEST_SHEET + sheet_reach(0);
    vec3 low, high, other_low, other_high;
    path_of(ends, low, high);
    low -= margin;
    high += margin;
    uint node = 1u;
    for (uint t = next_triangle(node, low, high); t != NOTHING; t = next_triangle(node, low, high)) {
        uvec4 owned = sheet_triangle(2u * t + 1u);
        for (uint k = 0u; k < 3u; ++k) {
            uint other = owned[k];
            if (other == NOTHING || other <= edge) continue;
            uvec4 their = sheet_edge(other);
            uvec2 others = uvec2(linked_place(their.x), linked_place(their.y));
            path_of(others, other_low, other_high);
            bool apart = any(greaterThan(other_low, high)) || any(lessThan(other_high, low));
            bool share = any(equal(ends.xxyy, others.xyxy));
            if (apart || share) continue;
            vec4 theirs = sheet(their.z);
            float friction = min(sheet_friction_of(mine), sheet_friction_of(theirs));
            float gap = gap_between(word.z, mine, their.z, theirs);
            list(true, key_of(edge | MEETING_EDGES, other), uvec4(ends, others), gap, friction);
        }
    }
}

void main() {
    uint i = invocation();
    uvec4 groups = arguments(ARGUMENTS_SOLVE);
    if (groups.x == 0u) return;
    if (i < push.particle_count) list_of_point(i);
    else if (i - push.particle_count < SHEET_EDGES) list_of_edge(i - push.particle_count);
}
#else
void main() {}
#endif
