// Computes, in a pass of the Newton solve, the impulses of every particle on its neighbors (one per pair record) and on itself;
// newton_forces adds them up. They are the internal forces times dt at the velocities, with their linearization, or the matrix times
// the vector that the velocities hold. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "neighborhood.glsl"
#include "materials.glsl"
#include "strain.glsl"
#include "constraints/inelastic/rows.glsl"
#include "constraints/inelastic/tangent.glsl"
#include "newton.glsl"

layout(local_size_x = 64) in;

// Visits the pairs of p; `seen`: forces were evaluated before in this solve.
void visit(uint p, bool linearize, bool seen) {
    vec3 vp = velocity(p).xyz;
    Neighborhood h = gather(p, vp, 0u);
    vec4 sums = gradient_sum(p);
    vec4 remembered = memory(p);
    uvec4 self = identity(p);
    mat3 B;
    vec3 u = vec3(0.0);
    Tangent t;
    if (linearize) {
        Response r = respond(p, material_of(self), push.dt * h.gradient);
        B = (push.dt * rest_volume_of(remembered)) * r.stress;
        vec3 displaced = remembered.xyz + push.dt * h.departure;
        vec4 response = memory_response(p);
        float stiffness = 0.0;
        if (MEMORY) {
            stiffness = memory_stiffness(p, r.moduli.x, rest_volume_of(remembered));
            u = (push.dt * stiffness) * bounded(displaced, memory_bound_of(response));
        }
        t = linearized(r, rest_volume_of(remembered), stiffness, length(displaced), memory_bound_of(response));
        if (seen) look_back(p, r, rest_volume_of(remembered), t);
        keep_tangent(p, t);
        newton_stress_diagonal(p) = vec4(r.kirchhoff.diagonal, r.moduli.y + 4.0 / 3.0 * r.moduli.x);
        newton_stress_shear(p) = vec4(r.kirchhoff.shear, 0.0);
    } else {
        t = kept_tangent(p);
        B = linear_stress(t, h.gradient);
        u = t.memory * h.departure;
    }
    for (uint i = h.range.x; i < neighbor_end(h.range); i += stride_of(h.range)) {
        uvec4 record = pair(i);
        vec3 g = uintBitsToFloat(record.yzw);
        float weight = memory_weight_of(record.x, g, h.weight);
        pair_force(i) = vec4(B * g + weight * u, linearize ? block_trace(t, g, weight) : 0.0);
    }
    balance(p) = vec4(-(B * sums.xyz) - weight_sum_of(sums) * u, linearize ? block_trace(t, sums.xyz, weight_sum_of(sums)) : 0.0);
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uint mode = newton(NEWTON_MODE);
    visit(p, mode != NEWTON_MULTIPLY, !begins(mode));
}
