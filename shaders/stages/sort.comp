// Moves every particle to its place in the order (cell, id). Its rank among the ids of its cell does not depend on how the scatter
// was scheduled. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "exact_sum.glsl"
#include "linked.glsl"
#include "total.glsl"
#include "bodies.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const bool METRIC = true; // kernels see matter as it was before its elastic strain
layout(constant_id = 1) const uint HISTORY_WORDS = 0u; // words that a particle carries for models of the tensor variant
layout(constant_id = 2) const bool NEWTON = false; // the scheme is Newton's
layout(constant_id = 3) const bool DEFORMATION = false; // frames show the deformation gradient

#include "generated/kept.glsl"

void main() {
    uint i = invocation();
    if (i >= push.particle_count) return;
    uvec2 home = particle_cell(i);
    uint cell = home.x;
    uint first = cell_start(cell);
    uint last = cell_start(cell + 1u);
    uvec4 self = committed_identity(i);
    uint to = first;
    for (uint j = first; j < last; ++j) {
        uvec2 member = cell_member(j);
        to += uint(id_of(member) < id_of(self));
    }

    vec4 diagonal = committed_strain_diagonal(i);
    vec4 shear = committed_strain_shear(i);
    vec4 remembered = committed_memory(i);
    vec3 d = diagonal.xyz;
    vec3 s = shear.xyz;
    // det(I + E) - 1 without the cancellation of computing det(b).
    float minor = dot(d.xyz, d.yzx) - dot(s, s);
    float third = d.x * d.y * d.z + 2.0 * s.x * s.y * s.z - dot(d, s * s);
    float det = max(1.0 + (d.x + d.y + d.z + minor + third), 1e-12);
    float volume = rest_volume_of(remembered) * sqrt(det);
    bool fluid = is_fluid(body_of(self));
    // Negative: kernels of other matter do not see it, and its own do not follow a strain.
    if (fluid) volume = -rest_volume_of(remembered);
    if (METRIC && fluid) {
        metric_diagonal(to) = vec4(0.0);
        metric_shear(to) = vec4(0.0);
    } else if (METRIC) {
        vec3 w;
        mat3 axes;
        eigen(Symmetric(d, s), w, axes);
        vec3 bounded = max(w, vec3(LEAST_STRETCH2 - 1.0));
        Symmetric N = to_symmetric(compose(axes, -bounded / (1.0 + bounded)));
        metric_diagonal(to) = vec4(N.diagonal, 0.0);
        metric_shear(to) = vec4(N.shear, 0.0);
    }
    vec4 v = committed_velocity(i);
#ifdef FIRST_LINKED
    // Kernels do not see linked particles.
    if (is_linked(id_of(self))) {
        volume = 0.0;
        linked_place(id_of(self) - FIRST_LINKED) = to;
    }
#endif
#ifdef FIRST_TOTAL
    // Nor those of total bodies.
    if (is_total(id_of(self))) {
        volume = 0.0;
        total_place(id_of(self) - FIRST_TOTAL) = to;
    }
#endif
    sort_kept(i, to);
    position(to) = vec4(committed_position(i).xyz, volume);
    kernel_weight(to) = vec2(volume, inverse_mass_of(v));
}
