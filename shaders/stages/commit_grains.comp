// Ends a substep of grains: commits positions and velocities; everything else stays. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "exact_sum.glsl"
#include "constraints/colliders/distance.glsl"
#include "constraints/colliders/contact_radius.glsl"
#include "constraints/colliders/touched.glsl"
#include "constraints/colliders/overlap.glsl"
#include "neighborhood.glsl"
#include "reach.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 v = velocity(p);
    vec4 remembered = memory(p);
    vec3 x = position(p).xyz + push.dt * v.xyz;
    vec3 u = inverse_mass_of(v) > 0.0 ? led_out_of_colliders(p, x, contact_radius(rest_volume_of(remembered)), vec3(0.0)) : vec3(0.0);
    count_displaced(u);
    vec3 lost;
    vec3 sum = exact_sum(position(p).xyz, position_low(p).xyz + (push.dt * v.xyz + u), lost);
    uvec4 self = identity(p);
    committed_position(p) = vec4(sum, 0.0);
    committed_position_low(p) = vec4(lost, 0.0);
    committed_velocity(p) = v;
    committed_strain_diagonal(p) = strain_diagonal(p);
    committed_strain_shear(p) = strain_shear(p);
    committed_memory(p) = memory(p);
    committed_state(p) = state(p);
    committed_identity(p) = self;
    // Beyond this many cells from the origin f32 cannot tell neighboring cells apart.
    bool far = any(greaterThan(abs(sum), vec3(4e6 * push.cell_edge)));
    if (far || !finite(vec4(sum, 0.0)) || !finite(v)) {
        atomicOr(status(STATUS_FAILED), FAILED_NOT_FINITE);
        atomicMin(status(STATUS_PARTICLE), id_of(self));
    }
    if (length(v.xyz) * push.dt > 0.5 * push.kernel_radius && in_reach(p, id_of(self))) atomicAdd(status(COUNT_FAST_PARTICLES), 1u);
}
