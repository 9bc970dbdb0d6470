// Smooths velocities (eq. 20) by impulses that are equal and opposite for any masses and volumes; loose particles held by friction
// stop instead. One invocation per particle; another stage applies the changes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "kernel.glsl"
#include "neighborhood.glsl"
#include "constraints/colliders/distance.glsl"
#include "constraints/colliders/touched.glsl"
#include "guess.glsl"
#include "loose.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const bool NOISE = true; // smooth only velocity differences that the gradients at a pair do not explain
layout(constant_id = 1) const bool NEWTON = false; // the scheme is Newton's

// Returns whether the neighbors of p need its motion: in a body that rests, p is out of balance by more than friction bears where the
// body stands still.
bool is_needed(uint p, vec4 v) {
    vec3 fall = push.dt * vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    uvec4 self = identity(p);
    vec4 residual = newton_residual(p);
    return rests(body_of(self), v.xyz, fall) && guess_imbalance_of(residual) * inverse_mass_of(v) > HELD_LOAD * length(fall);
}

mat3 gradient_at(uint p) {
    return mat3(velocity_gradient_x(p).xyz, velocity_gradient_y(p).xyz, velocity_gradient_z(p).xyz);
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 vp = velocity(p);
    uvec2 range = neighbor_range(p);
    if (is_held(p, vp, range) && !(NEWTON && is_needed(p, vp))) {
        velocity_change(p) = vec4(-vp.xyz, 0.0);
        atomicAdd(status(COUNT_LOOSE_HELD), 1u);
        return;
    }
    vec3 sum = vec3(0.0);
    if (inverse_mass_of(vp) > 0.0 && push.xsph > 0.0) {
        vec4 xp = position(p);
        mat3 own = NOISE ? gradient_at(p) : mat3(0.0);
        for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
            uvec4 record = pair(i);
            uint b = record.x & INDEX_MASK;
            vec4 vb = velocity(b);
            vec4 xb = position(b);
            // (1/m_p) m_p m_b / (m_p + m_b) = w_p / (w_p + w_b) with inverse masses w; none for pins.
            float exchange = inverse_mass_of(vb) > 0.0 ? inverse_mass_of(vp) / (inverse_mass_of(vp) + inverse_mass_of(vb)) : 0.0;
#if defined(FIRST_LINKED) || defined(FIRST_TOTAL)
            if (elastic_volume_of(xp) == 0.0 || elastic_volume_of(xb) == 0.0) continue;
#endif
            float weight = (elastic_volume_of(xp) + elastic_volume_of(xb)) * kernel(distance(xb.xyz, xp.xyz), push.kernel_radius);
            vec3 dv = vb.xyz - vp.xyz;
            if (NOISE) dv -= 0.5 * ((own + gradient_at(b)) * (xb.xyz - xp.xyz));
            sum += (exchange * weight) * dv;
        }
    }
    velocity_change(p) = vec4(push.xsph * sum, 0.0);
}
