// Position correction (eq. 21) as a distance constraint on the candidate positions x^n + dt v; a pair is treated
// by its particle of smaller index.

// Pushes p and its candidates apart where they come closer than the least distance.
void keep_distance(uint p, uvec2 range) {
    if (near_end(range) == range.x) return;
    vec3 xp = position(p).xyz;
    for (uint i = range.x; i < near_end(range); ++i) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        if (b < p) continue;
        vec4 vp = velocity(p);
        vec4 vb = velocity(b);
        vec3 apart = position(b).xyz - xp + push.dt * (vb.xyz - vp.xyz);
        float distance = length(apart);
        float mobility = vp.w + vb.w;
        if (distance >= push.min_distance || mobility == 0.0) continue;
        vec3 n = distance > 0.0 ? apart / distance : vec3(0.0, 1.0, 0.0);
        vec3 j = n * ((push.min_distance - distance) / (push.dt * mobility));
        velocity(p) = vec4(vp.xyz - vp.w * j, vp.w);
        velocity(b) = vec4(vb.xyz + vb.w * j, vb.w);
        correction_impulse(p) -= vec4(j, 0.0);
        correction_impulse(b) += vec4(j, 0.0);
        atomicAdd(status(COUNT_POSITION_CORRECTED), 1u);
    }
}
