// Contact of rigid spheres with point friction (Macklin et al. 2014, "Unified particle physics", sec. 6.1), at the candidate positions
// x^n + dt v. A pair is handled by its particle of smaller index.

// Pushes overlapping pairs apart, and undoes their tangential displacement in this substep as far as friction allows.
void collide(uint p, uvec2 range) {
    if (near_count(range) == 0u) return;
    vec3 xp = position(p).xyz;
    for (uint i = range.x; i < near_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        if (b < p) continue;
        vec4 vp = velocity(p);
        vec4 vb = velocity(b);
        vec3 relative = vb.xyz - vp.xyz;
        vec3 apart = position(b).xyz - xp + push.dt * relative;
        float distance = length(apart);
        float overlap = push.min_distance - distance;
        float mobility = inverse_mass_of(vp) + inverse_mass_of(vb);
        if (overlap <= 0.0 || mobility == 0.0) continue;
        vec3 n = distance > 0.0 ? apart / distance : vec3(0.0, 1.0, 0.0);
        vec3 slip = relative - dot(relative, n) * n;
        float bound = push.grain_friction * overlap / push.dt;
        float speed = length(slip);
        if (speed > bound) slip *= bound / speed;
        vec3 j = (overlap / push.dt * n - slip) / mobility;
        velocity(p) = vec4(vp.xyz - inverse_mass_of(vp) * j, inverse_mass_of(vp));
        velocity(b) = vec4(vb.xyz + inverse_mass_of(vb) * j, inverse_mass_of(vb));
        atomicAdd(status(COUNT_POSITION_CORRECTED), 1u);
    }
}
