// Removes by displacement the overlaps with sheets that are left at the end of the substep, and takes back displacements that lead through
// a sheet, one contact after the other, until nothing is left; colliders hold what reaches their limits. Counts contacts whose parts have
// passed through each other. One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 128) in;

#ifdef SHEETS
#include "constraints/sheets/listed.glsl"

// Finds the places of members at the start, at the end by their velocities, and there with their displacements.
void places_of(uint contact, uvec4 members, out Members start, out Members there, out Members moved) {
    start = starts_at(contact, members);
    there = moved_by(start, motions_at(contact, members), push.dt);
    bool obstacle = on_obstacle(members);
    vec3 first = shift(2u * (obstacle ? members.y : members.x)).xyz;
    for (uint m = 0u; m < 4u; ++m) {
        vec3 own = m == 0u && obstacle ? vec3(0.0) : shift(2u * members[m]).xyz;
        moved.at[m] = there.at[m] + (own - first);
    }
}

// Returns the part of `direction` in which a particle can still move: colliders hold what reaches their limits, up to `slack` [m].
vec3 open_to(uint p, vec3 direction, float slack) {
    vec3 u = shift(2u * p).xyz, open = direction;
    for (uint slot = p * CONTACT_SLOTS; slot < (p + 1u) * CONTACT_SLOTS; ++slot) {
        vec4 limit = shift_limit(slot);
        if (dot(u, limit.xyz) <= least_shift_of(limit) + slack) open -= min(0.0, dot(open, limit.xyz)) * limit.xyz;
    }
    return open;
}

// Finds by how much further to displace the members of a contact; false if they lack nothing.
bool shift_of(uint contact, uvec4 members, bool edges, vec4 inverse, out Members by) {
    Members start, there, moved;
    places_of(contact, members, start, there, moved);
    vec4 numbers = meeting_numbers(contact);
    float gap = rest_gap_of(numbers);
    Approach now, before;
    bool near = approaches(edges, start, moved, now);
    // What velocities have kept displacements keep; what was too near at the start comes apart.
    float kept = approaches(edges, start, there, before) ? min(gap, before.distance) : gap;
    float parted = min(OVERLAP_REDUCTION * (gap - kept), MAX_DISPLACEMENT * push.kernel_radius);
    float lacking = kept + parted - now.distance;
    float tolerance = SEPARATION_TOLERANCE * min(gap, push.kernel_radius);
    if (!near || lacking <= tolerance) return false;
    for (uint m = 0u; m < 4u; ++m) {
        by.at[m] = inverse[m] > 0.0 ? inverse[m] * open_to(members[m], now.weights[m] * now.normal, tolerance) : vec3(0.0);
    }
    float response = dot(now.normal, weighted(now.weights, by));
    for (uint m = 0u; m < 4u; ++m) by.at[m] *= lacking / max(response, 1e-30);
    return response > 0.0;
}

bool acts(uint contact) {
    bool edges;
    uvec4 members = members_of(contact, edges);
    Members by;
    return shift_of(contact, members, edges, inverse_masses_of(members), by);
}

void act(uint contact) {
    bool edges;
    uvec4 members = members_of(contact, edges);
    vec4 inverse = inverse_masses_of(members);
    Members by;
    if (!shift_of(contact, members, edges, inverse, by)) return;
    for (uint m = 0u; m < 4u; ++m) {
        if (inverse[m] == 0.0) continue;
        uint p = members[m];
        vec3 u = shift(2u * p).xyz + by.at[m];
        for (uint slot = p * CONTACT_SLOTS; slot < (p + 1u) * CONTACT_SLOTS; ++slot) {
            vec4 limit = shift_limit(slot);
            u += max(0.0, least_shift_of(limit) - dot(u, limit.xyz)) * limit.xyz;
        }
        shift(2u * p) = vec4(u, 0.0);
    }
}

#include "constraints/sheets/order.glsl"

bool has_passed(uint contact) {
    bool edges;
    uvec4 members = members_of(contact, edges);
    Members start, there, moved;
    places_of(contact, members, start, there, moved);
    Approach found;
    return approaches(edges, start, moved, found) && found.distance < 0.0;
}

void main() {
    uvec4 groups = arguments(ARGUMENTS_SOLVE);
    if (groups.x == 0u) return;
    uint contacts = status(STATUS_MEETINGS);
    for (uint round = 0u; round < SHEET_ROUNDS; ++round) {
        uint listed = list_active(contacts);
        if (listed == 0u) break;
        while (take_turns(listed) > 0u) {}
    }
    for (uint contact = gl_LocalInvocationIndex; contact < contacts; contact += SHEET_GROUP) {
        if (has_passed(contact)) atomicAdd(status(COUNT_SHEET_PASSED), 1u);
    }
}
#else
void main() {}
#endif
