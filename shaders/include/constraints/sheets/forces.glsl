// Contacts with sheets in the force balance of a particle, as look_sheets found them.

vec4 sheet_force(uint p) {
    vec4 sum = vec4(0.0);
    for (uint at = meeting_first(p); at != NOTHING; at = meeting_next(at)) {
        uint contact = at >> 2;
        vec4 weights = meeting_push(3u * contact);
        float weight = weights[at & 3u];
        vec4 spring = meeting_push(3u * contact + 1u), impulse = meeting_push(3u * contact + 2u);
        if (spring.w == 0.0 && impulse.w == 0.0) continue;
        if (multiplies) {
            uvec4 members = meeting(contact);
            members.x &= ~MEETING_EDGES;
            // Colliders, and in a Newton step rigid bodies, stand still.
            vec3 first = (members.x & MEETING_OBSTACLE) != 0u ? vec3(0.0) : velocity(members.x).xyz;
            vec3 relative = vec3(0.0);
            for (uint m = 1u; m < 4u; ++m) relative += weights[m] * (velocity(members[m]).xyz - first);
            sum.xyz += weight * (impulse.w * relative + (spring.w - impulse.w) * dot(spring.xyz, relative) * spring.xyz);
        } else {
            sum += vec4(-weight * impulse.xyz, weight * weight * (spring.w + 2.0 * impulse.w));
        }
    }
    return sum;
}

void add_sheets_forces(uint p, uvec2 range, inout vec4 sum) {
    if (meeting_first(p) != NOTHING) sum += sheet_force(p);
}

void add_sheets_blocks(uint p, uvec2 range, inout Symmetric block) {
    for (uint at = meeting_first(p); at != NOTHING; at = meeting_next(at)) {
        uint contact = at >> 2;
        vec4 weights = meeting_push(3u * contact);
        float weight = weights[at & 3u];
        vec4 spring = meeting_push(3u * contact + 1u), impulse = meeting_push(3u * contact + 2u);
        block.diagonal += weight * weight * impulse.w;
        add_outer(block, spring.xyz, weight * weight * (spring.w - impulse.w));
    }
}
