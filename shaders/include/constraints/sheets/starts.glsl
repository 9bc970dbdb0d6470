// Places of members of contacts with sheets. A stage that includes this file reads position and position_low.

#include "exact_sum.glsl"
#include "constraints/sheets/meeting.glsl"

// Returns the places of members at the start of the substep.
Members starts_of(uvec4 members) {
    Members start;
    vec3 x = position(members.x).xyz, low = position_low(members.x).xyz;
    start.at[0] = vec3(0.0);
    for (uint i = 1u; i < 4u; ++i) {
        vec3 lost;
        vec3 high = exact_sum(position(members[i]).xyz, -x, lost);
        start.at[i] = high + ((position_low(members[i]).xyz - low) + lost);
    }
    return start;
}
