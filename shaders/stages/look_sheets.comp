// Finds, at the velocities of an evaluation in a Newton solve, which contacts with sheets push: springs with Coulomb's friction. Friction
// follows a load that falls at once, and one that rises gradually. One invocation per contact.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 64) in;

#ifdef SHEETS
#include "constraints/sheets/listed.glsl"

// Returns the stiffness of a contact [N/m]: as that of too-close pairs, but no more than its masses bear. newton_pass stores the moduli
// in w of the stress.
float stiffness_of(uvec4 members, bool edges, vec4 inverse, float bound) {
    bool obstacle = on_obstacle(members);
    vec4 one = newton_stress_diagonal(obstacle ? members.y : members.x), two = newton_stress_diagonal(edges ? members.z : members.y);
    float own = uniaxial_modulus_of(one), other = uniaxial_modulus_of(two);
    float heaviest = 0.0;
    for (uint m = 0u; m < 4u; ++m) heaviest = inverse[m] > 0.0 ? max(heaviest, 1.0 / inverse[m]) : heaviest;
    float pair = 2.0 * NEAR_STIFFNESS * push.kernel_radius * own * other / max(own + other, 1e-30);
    float stiffness = min(pair, SHEET_STIFFEST * heaviest / (push.dt * push.dt));
    if (obstacle) stiffness /= 3.0; // all corners may have found the same place
    return min(stiffness, bound / (push.dt * push.dt));
}

void main() {
    uint contact = invocation();
    if (contact >= status(STATUS_MEETINGS)) return;
    uvec4 groups = arguments(ARGUMENTS_ITERATE);
    if (groups.x == 0u || newton(NEWTON_MODE) == NEWTON_MULTIPLY) return;
    bool edges;
    uvec4 members = members_of(contact, edges);
    Members start = starts_at(contact, members), v = motions_at(contact, members);
    vec4 numbers = meeting_numbers(contact);
    Approach found;
    bool near = approaches(edges, start, moved_by(start, v, push.dt), found);
    float lacking = least_gap_of(numbers) - found.distance;
    bool pushes = near && lacking > 0.0;
    float bound = on_obstacle(members) ? spot_bound_of(meeting_spot(2u * contact)) : 3e38;
    float stiffness = stiffness_of(members, edges, inverse_masses_of(members), bound);
    float pressed = pushes ? push.dt * stiffness * lacking : 0.0;
    float last = bears_of(numbers);
    bears_of(numbers) = last > 0.0 ? min(pressed, last + SHEET_LOAD_SHARE * (pressed - last)) : pressed;
    meeting_numbers(contact) = numbers;
    vec3 n = found.normal;
    vec3 relative = weighted(found.weights, v);
    vec3 along = relative - dot(relative, n) * n;
    float drag = meeting_friction_of(numbers) * bears_of(numbers) / max(length(along), viscous_slip());
    drag = pushes ? min(drag, bound) : 0.0;
    meeting_push(3u * contact) = found.weights;
    meeting_push(3u * contact + 1u) = vec4(n, pushes ? push.dt * push.dt * stiffness : 0.0);
    meeting_push(3u * contact + 2u) = pushes ? vec4(pressed * n - drag * along, drag) : vec4(0.0);
}
#else
void main() {}
#endif
