// The position correction by density in a sweep (Takahashi and Lin 2019), at the candidate positions x^n + dt v: a particle pushes its
// neighbors away if they crowd around it.

#include "generated/constants.glsl"

// Solves one row without compliance for C = rho / rho0 - 1 if C is positive. A neighbor's term needs its offset d, rest volume and
// velocity; both passes compute it.
void keep_density(uint p, uvec2 range) {
    vec3 xp = position(p).xyz;
    vec4 vp = velocity(p);
    vec4 own = memory(p);
    uvec4 self = identity(p);
    float inverse_limit = 1.0 / density_limit(body_of(self));
    float density = rest_volume_of(own) * kernel(0.0, push.kernel_radius);
    float mobility = 0.0;
    vec3 sum = vec3(0.0);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec4 vb = velocity(b);
        vec4 other = memory(b);
        vec3 d = position(b).xyz - xp + push.dt * (vb.xyz - vp.xyz);
        float distance = length(d);
        density += rest_volume_of(other) * kernel(distance, push.kernel_radius);
        vec3 gradient = (-rest_volume_of(other) * inverse_limit * kernel_slope(distance, push.kernel_radius)) * d;
        sum += gradient;
        mobility += inverse_mass_of(vb) * dot(gradient, gradient);
    }
    mobility += inverse_mass_of(vp) * dot(sum, sum);
    float C = density * inverse_limit - 1.0;
    if (C <= DENSITY_TOLERANCE || mobility == 0.0) return;
    float change = -C / (push.dt * mobility);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec4 vb = velocity(b);
        vec4 other = memory(b);
        vec3 d = position(b).xyz - xp + push.dt * (vb.xyz - vp.xyz);
        vec3 j = (-change * rest_volume_of(other) * inverse_limit * kernel_slope(length(d), push.kernel_radius)) * d;
        velocity(b) = vec4(vb.xyz + inverse_mass_of(vb) * j, inverse_mass_of(vb));
        correction_impulse(b) += vec4(j, 0.0);
    }
    velocity(p) = vec4(vp.xyz - (inverse_mass_of(vp) * change) * sum, inverse_mass_of(vp));
    correction_impulse(p) -= vec4(change * sum, 0.0);
    atomicAdd(status(COUNT_POSITION_CORRECTED), 1u);
}
