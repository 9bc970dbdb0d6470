// Parts the contacts with sheets that the velocities would bring closer than they may be, one after the other, with Coulomb's friction, and
// stops the slow slip in which a Newton solve leaves those that stick (SHEETS_HOLD); until nothing is left. Momentum is conserved. One
// workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 128) in;

#ifdef SHEETS
#include "constraints/sheets/listed.glsl"

bool holding; // stops slow slip in this sweep

struct Row {
    vec4 weights;
    vec3 impulse; // on a member of weight 1 [N s]
    bool parts;   // whether it parts something
};

// Finds what a contact does; false if it has nothing to do.
bool row_of(uint contact, out Row row) {
    bool edges;
    uvec4 members = members_of(contact, edges);
    Members start = starts_at(contact, members), v = motions_at(contact, members);
    vec4 numbers = meeting_numbers(contact);
    Approach found;
    bool near = approaches(edges, start, moved_by(start, v, push.dt), found);
    float tolerance = SEPARATION_TOLERANCE * min(rest_gap_of(numbers), push.kernel_radius);
    float lacking = least_gap_of(numbers) - found.distance, bears = bears_of(numbers);
    row.weights = found.weights;
    row.parts = lacking > tolerance;
    bool holds = holding && bears > 0.0 && lacking > -tolerance;
    float response = response_of(found.weights, inverse_masses_of(members));
    row.impulse = vec3(0.0);
    if (!near || !(row.parts || holds) || response == 0.0) return false;
    vec3 n = found.normal;
    float pressed = row.parts ? lacking / (push.dt * response) : 0.0;
    vec3 relative = weighted(found.weights, v);
    vec3 along = relative - dot(relative, n) * n;
    float speed = length(along);
    float unused = holds ? bears * max(0.0, 1.0 - speed / viscous_slip()) : 0.0;
    float drag = min(meeting_friction_of(numbers) * (pressed + unused) / max(speed, 1e-30), 1.0 / response);
    row.impulse = pressed * n - drag * along;
    return row.impulse != vec3(0.0);
}

bool acts(uint contact) {
    Row row;
    return row_of(contact, row);
}

void act(uint contact) {
    Row row;
    if (!row_of(contact, row)) return;
    bool edges;
    uvec4 members = members_of(contact, edges);
    for (uint m = 0u; m < 4u; ++m) {
        if (!can_move(members[m])) continue;
        vec4 v = velocity(members[m]);
        velocity(members[m]) = v + vec4(inverse_mass_of(v) * row.weights[m] * row.impulse, 0.0);
    }
    if (on_obstacle(members)) meeting_given(contact) += vec4(row.impulse, 0.0);
    if (row.parts) atomicAdd(status(COUNT_POSITION_CORRECTED), 1u);
}

#include "constraints/sheets/order.glsl"

void main() {
    uvec4 groups = arguments(push.color == SHEETS_SWEEP ? ARGUMENTS_ITERATE : ARGUMENTS_SOLVE);
    if (groups.x == 0u) return;
    uint contacts = status(STATUS_MEETINGS);
    for (uint round = 0u; round < SHEET_ROUNDS; ++round) {
        holding = push.color == SHEETS_HOLD && round == 0u;
        uint listed = list_active(contacts);
        if (listed == 0u) return;
        while (take_turns(listed) > 0u) {}
    }
}
#else
void main() {}
#endif
