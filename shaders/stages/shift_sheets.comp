// Removes by displacement the overlaps with sheets that are left at the end of the substep, and takes back displacements that lead through
// a sheet, one contact after the other, until nothing is left. Counts contacts whose parts have passed through each other. One workgroup.
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

// Finds the weights of the members and what displacements lack times the mass that moves [kg m]; false if they lack nothing.
bool shift_of(uint contact, out vec4 weights, out vec3 change) {
    bool edges;
    uvec4 members = members_of(contact, edges);
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
    float response = response_of(now.weights, inverse_masses_of(members));
    weights = now.weights;
    change = response > 0.0 ? lacking / response * now.normal : vec3(0.0);
    return near && response > 0.0 && lacking > SEPARATION_TOLERANCE * min(gap, push.kernel_radius);
}

bool acts(uint contact) {
    vec4 weights;
    vec3 change;
    return shift_of(contact, weights, change);
}

void act(uint contact) {
    vec4 weights;
    vec3 change;
    if (!shift_of(contact, weights, change)) return;
    bool edges;
    uvec4 members = members_of(contact, edges);
    vec4 inverse = inverse_masses_of(members);
    for (uint m = 0u; m < 4u; ++m) {
        if (inverse[m] > 0.0) shift(2u * members[m]) += vec4(inverse[m] * weights[m] * change, 0.0);
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
