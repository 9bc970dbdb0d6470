// The position correction by distance in a sweep (eq. 21), at the candidate positions x^n + dt v. A pair is handled by its particle of
// smaller index; a pair already too close at x^n is only kept from coming closer (constraints/colliders/overlap.glsl does the rest).

// Pushes p and its candidates apart if they come closer than allowed.
void keep_distance(uint p, uvec2 range) {
    if (near_count(range) == 0u) return;
    vec3 xp = position(p).xyz;
    vec4 vp = velocity(p);
    vec4 impulse = correction_impulse(p);
    uint corrected = 0u;
    for (uint i = range.x; i < near_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        if (b < p) continue;
        vec4 vb = velocity(b);
        vec3 before = position(b).xyz - xp;
        vec3 apart = before + push.dt * (vb.xyz - vp.xyz);
        float distance = length(apart);
        float mobility = inverse_mass_of(vp) + inverse_mass_of(vb);
        float least = min(push.min_distance, length(before));
        if (distance >= least || mobility == 0.0) continue;
        vec3 n = distance > 0.0 ? apart / distance : vec3(0.0, 1.0, 0.0);
        vec3 j = n * ((least - distance) / (push.dt * mobility));
        vp.xyz -= inverse_mass_of(vp) * j;
        impulse.xyz -= j;
        velocity(b) = vec4(vb.xyz + inverse_mass_of(vb) * j, inverse_mass_of(vb));
        correction_impulse(b) += vec4(j, 0.0);
        ++corrected;
    }
    if (corrected == 0u) return;
    velocity(p) = vp;
    correction_impulse(p) = impulse;
    atomicAdd(status(COUNT_POSITION_CORRECTED), corrected);
}
