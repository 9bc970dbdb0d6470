// Lists what may touch sheets in the substep: every particle and the triangles near its path, every edge of a sheet and the later edges
// near its path, every triangle and the colliders near its path. One invocation per particle, then one per edge and one per triangle.
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
#include "constraints/sheets/obstacle.glsl"

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

// Adds a contact to those of a particle.
void link_member(uint slot, uint m, uint p) {
    meeting_next(4u * slot + m) = atomicExchange(meeting_first(p), 4u * slot + m);
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
    for (uint m = 0u; m < 4u; ++m) link_member(slot, m, members[m]);
}

// Returns the largest part of the matrix that a contact with a face may have [kg] (engine/problem/src/meeting.rs).
float largest_spring(uint face, uvec3 corners) {
    vec4 inverse = inverse_masses_of(corners.xxyz);
    float heaviest = 0.0;
    for (uint m = 1u; m < 4u; ++m) heaviest = inverse[m] > 0.0 ? max(heaviest, 1.0 / inverse[m]) : heaviest;
    for (uint body = 0u; body < push.rigid_count; ++body) {
        uint at = body * RIGID_WORDS;
        vec4 from = rigid(at), to = rigid(at + 1u), last = rigid(at + 4u);
        if (face < uint(from.w) || face >= uint(to.w)) continue;
        return max(BODY_SPRING * min(heaviest, last.w), BODY_SPRING_PART * last.w);
    }
    return 3e38;
}

// Lists where a triangle may touch a face, as found from one of its corners.
void list_on_face(uint face, uint corner, uint triangle, uvec3 corners, Members start, float gap, float limit) {
    uint at = push.first_collider + face * COLLIDER_WORDS;
    vec3 origin = position(corners.x).xyz;
    Spot spot, other;
    if (!nearest_spot(at, origin, start, corner, gap, limit, spot)) return;
    // Triangles that slide around an obstacle within the substep touch another place of it.
    vec3 slip = -velocity_of_spot(at, origin, spot);
    for (uint i = 0u; i < 3u; ++i) slip += spot.weights[i] * velocity(corners[i]).xyz;
    vec3 slid = push.dt * (slip - dot(slip, spot.normal) * spot.normal);
    Members there = start;
    for (uint i = 1u; i < 4u; ++i) there.at[i] += slid;
    if (nearest_spot(at, origin, there, corner, gap, limit, other)) spot = other;
    start.at[0] = spot.at;
    vec3 carried = velocity_of_spot(at, origin, spot);
    float fastest = 0.0;
    for (uint i = 0u; i < 3u; ++i) fastest = max(fastest, length(velocity(corners[i]).xyz - carried));
    float distance = distance_of_parts(false, start);
    if (distance > gap + push.dt * fastest + sheet_reach(0)) return;
    uint slot = atomicAdd(status(STATUS_MEETINGS), 1u);
    if (slot >= push.meeting_capacity) return;
    vec4 head = collider(at);
    meeting(slot) = uvec4(face | MEETING_OBSTACLE, corners);
    meeting_numbers(slot) = vec4(gap, min(gap, distance), head.y, 0.0);
    meeting_key(slot) = key_of((3u * face + corner) | MEETING_OBSTACLE, triangle);
    meeting_spot(2u * slot) = vec4(start.at[0], largest_spring(face, corners) / 3.0);
    meeting_spot(2u * slot + 1u) = vec4(spot.drift, 0.0);
    meeting_given(slot) = vec4(0.0);
    meeting_next(4u * slot) = NOTHING;
    for (uint m = 1u; m < 4u; ++m) link_member(slot, m, corners[m - 1u]);
}

void list_of_triangle(uint leaf) {
    uvec4 word = sheet_triangle(2u * leaf), more = sheet_triangle(2u * leaf + 1u);
    if (word.w == NOTHING) return; // it has torn
    uvec3 corners = corners_of(leaf);
    if (!any(bvec3(can_move(corners.x), can_move(corners.y), can_move(corners.z)))) return;
    Members start = starts_of(corners.xxyz);
    vec3 center = (start.at[2] + start.at[3]) / 3.0;
    float size = 0.0, speed = 0.0;
    for (uint i = 0u; i < 3u; ++i) {
        size = max(size, length(start.at[1u + i] - center));
        speed = max(speed, length(velocity(corners[i]).xyz));
    }
    center += position(corners.x).xyz;
    vec4 mine = sheet(word.w);
    for (uint face = 0u; face < push.collider_count; ++face) {
        uint at = push.first_collider + face * COLLIDER_WORDS;
        if (!is_sharp(at)) continue;
        vec4 motion = collider(at + 4u);
        float gap = half_thickness_of(mine) + motion.w;
        float way = push.dt * (speed + length(collider_velocity(at, center))) + largest_drift(at);
        float reach = gap + sheet_reach(0) + way + size, limit = reach + size;
        if (collider_distance(at, carried(at, center, limit), limit).w > reach) continue;
        for (uint corner = 0u; corner < 3u; ++corner) list_on_face(face, corner, more.w, corners, start, gap, limit);
    }
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
    if (i < push.particle_count) {
        list_of_point(i);
        return;
    }
    i -= push.particle_count;
    if (i < SHEET_EDGES) list_of_edge(i);
    else if (i - SHEET_EDGES < SHEET_TRIANGLES) list_of_triangle(i - SHEET_EDGES);
}
#else
void main() {}
#endif
