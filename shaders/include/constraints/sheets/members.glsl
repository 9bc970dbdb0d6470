// Motion of the members of contacts with sheets. A stage that includes this file reads position, position_low and velocity.

#include "constraints/sheets/starts.glsl"

// Returns true if the first member is not a particle but a place on a collider, whose face its index tells.
bool on_obstacle(uvec4 members) { return (members.x & MEETING_OBSTACLE) != 0u; }

// Returns the velocities of members relative to the first.
Members motions_of(uvec4 members) {
    Members v;
    vec3 first = velocity(members.x).xyz;
    for (uint i = 0u; i < 4u; ++i) v.at[i] = velocity(members[i]).xyz - first;
    return v;
}

// Returns places after motions for a time [s].
Members moved_by(Members start, Members v, float time) {
    Members end;
    for (uint i = 0u; i < 4u; ++i) end.at[i] = start.at[i] + time * v.at[i];
    return end;
}

vec4 inverse_masses_of(uvec4 members) {
    vec4 inverse;
    for (uint i = 0u; i < 4u; ++i) {
        // Contacts do not move colliders; rigid bodies respond to them afterwards.
        vec4 v = i == 0u && on_obstacle(members) ? vec4(0.0) : velocity(members[i]);
        inverse[i] = inverse_mass_of(v);
    }
    return inverse;
}

// Returns the relative change of velocity per impulse [1/kg].
float response_of(vec4 weights, vec4 inverse) { return dot(weights * weights, inverse); }

// Returns the slip below which friction counts as viscous in a Newton solve [m/s].
float viscous_slip() {
    vec3 gravity = vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    return max(SHEET_SLIP * length(gravity) * push.dt, SHEET_LEAST_SLIP * push.kernel_radius / push.dt);
}

// Returns true if a member is a particle that can move.
bool can_move(uint member) {
    if ((member & MEETING_OBSTACLE) != 0u) return false;
    vec4 v = velocity(member);
    return inverse_mass_of(v) > 0.0;
}
