// Position correction at the candidate positions x^n + dt v. By distance (eq. 21): a pair is handled by its particle of smaller index;
// a pair already too close at x^n is only kept from coming closer (overlap.glsl does the rest). By density (Takahashi and Lin 2019): a
// particle pushes its neighbors away if they crowd around it.

layout(constant_id = 6) const uint CORRECTION = CORRECT_DISTANCE;

// Relative excess of density that counts as rounding.
const float DENSITY_TOLERANCE = 1e-5;

// Pushes p and its candidates apart if they come closer than allowed.
void keep_distance(uint p, uvec2 range) {
    if (near_end(range) == range.x) return;
    vec3 xp = position(p).xyz;
    vec4 vp = velocity(p);
    vec4 impulse = correction_impulse(p);
    uint corrected = 0u;
    for (uint i = range.x; i < near_end(range); ++i) {
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

// Solves one row without compliance for C = rho / rho0 - 1 if C is positive. A neighbor's term needs its offset d, rest volume and
// velocity; both passes compute it.
void keep_density(uint p, uvec2 range) {
    vec3 xp = position(p).xyz;
    vec4 vp = velocity(p);
    vec4 own = memory(p);
    uvec4 self = identity(p);
    float inverse_limit = 1.0 / density_limit(body_of(self));
    float density = elastic_volume_of(own) * kernel(0.0, push.kernel_radius);
    float mobility = 0.0;
    vec3 sum = vec3(0.0);
    for (uint i = range.x; i < neighbor_end(range); ++i) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec4 vb = velocity(b);
        vec4 other = memory(b);
        vec3 d = position(b).xyz - xp + push.dt * (vb.xyz - vp.xyz);
        float distance = length(d);
        density += elastic_volume_of(other) * kernel(distance, push.kernel_radius);
        vec3 gradient = (-elastic_volume_of(other) * inverse_limit * kernel_slope(distance, push.kernel_radius)) * d;
        sum += gradient;
        mobility += inverse_mass_of(vb) * dot(gradient, gradient);
    }
    mobility += inverse_mass_of(vp) * dot(sum, sum);
    float C = density * inverse_limit - 1.0;
    if (C <= DENSITY_TOLERANCE || mobility == 0.0) return;
    float change = -C / (push.dt * mobility);
    for (uint i = range.x; i < neighbor_end(range); ++i) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec4 vb = velocity(b);
        vec4 other = memory(b);
        vec3 d = position(b).xyz - xp + push.dt * (vb.xyz - vp.xyz);
        vec3 j = (-change * elastic_volume_of(other) * inverse_limit * kernel_slope(length(d), push.kernel_radius)) * d;
        velocity(b) = vec4(vb.xyz + inverse_mass_of(vb) * j, inverse_mass_of(vb));
        correction_impulse(b) += vec4(j, 0.0);
    }
    velocity(p) = vec4(vp.xyz - (inverse_mass_of(vp) * change) * sum, inverse_mass_of(vp));
    correction_impulse(p) -= vec4(change * sum, 0.0);
    atomicAdd(status(COUNT_POSITION_CORRECTED), 1u);
}

void correct_positions(uint p) {
    if (CORRECTION == CORRECT_DISTANCE) keep_distance(p, neighbor_range(p));
    if (CORRECTION == CORRECT_DENSITY) keep_density(p, neighbor_range(p));
}
