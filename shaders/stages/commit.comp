// Ends a substep (eq. 22): advances strain, material state, memory and position with the same velocity. The state at the start
// stays in the sorted attributes, so that a substep that fails here can be repeated. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "neighborhood.glsl"
#include "materials.glsl"
#include "strain.glsl"
#include "constraints/inelastic/rows.glsl"
#include "constraints/inelastic/memory_bound.glsl"
#include "exact_sum.glsl"
#include "total.glsl"
#include "constraints/colliders/distance.glsl"
#include "constraints/colliders/contact_radius.glsl"
#include "constraints/colliders/touched.glsl"
#include "constraints/colliders/overlap.glsl"
#ifdef SHEETS
#include "constraints/sheets/limits.glsl"
#endif
#include "reach.glsl"
#include "kernel.glsl"
#include "packing.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 7) const bool NEWTON = false; // the scheme is Newton's
layout(constant_id = 8) const bool DEFORMATION = false; // frames show the deformation gradient
layout(constant_id = 9) const bool DEFERS = false; // stiff matter follows a part of pushes after the substep

// Rotates h by the Cayley transform of the axial vector w = 1/2 curl dt v; unlike I + spin it preserves lengths.
vec3 cayley(vec3 w, vec3 h) {
    vec3 half_turn = 0.5 * w;
    return h + (2.0 / (1.0 + dot(half_turn, half_turn))) * (cross(half_turn, h) + cross(half_turn, cross(half_turn, h)));
}

// Returns an upper bound of the principal tensions of a Kirchhoff stress [Pa].
float tension_of(Symmetric tau) {
    float mean = (tau.diagonal.x + tau.diagonal.y + tau.diagonal.z) / 3.0;
    vec3 deviator = tau.diagonal - mean;
    return max(0.0, mean) + sqrt(2.0 / 3.0 * (dot(deviator, deviator) + 2.0 * dot(tau.shear, tau.shear)));
}

// Keeps what has flowed in a total body: P += F_end^-1 (E_new - E_tr) F_end^-T, F_end = A F.
void commit_plastic(uint p, uint id, Trial t, Symmetric flowed) {
#ifdef FIRST_TOTAL
    Symmetric P = Symmetric(plastic(2u * p).xyz, plastic(2u * p + 1u).xyz);
    if (is_total(id)) {
        uint at = 3u * (id - FIRST_TOTAL);
        mat3 back = inverse_transpose(t.A, t.det) * mat3(total_unstretch(at).xyz, total_unstretch(at + 1u).xyz, total_unstretch(at + 2u).xyz);
        Symmetric change = to_symmetric(transpose(back) * to_matrix(flowed) * back);
        P = Symmetric(P.diagonal + change.diagonal, P.shear + change.shear);
    }
    committed_plastic(2u * p) = vec4(P.diagonal, 0.0);
    committed_plastic(2u * p + 1u) = vec4(P.shear, 0.0);
#endif
}

// Returns the displacement of p out of particles that are too close at the end of the substep [m].
vec3 out_of_pairs(uint p, vec4 v) {
    uvec2 range = neighbor_range(p);
    vec3 x = position(p).xyz;
    vec3 u = vec3(0.0);
    for (uint i = range.x; i < near_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec4 vb = velocity(b);
        vec3 apart = position(b).xyz - x + push.dt * (vb.xyz - v.xyz);
        float distance = length(apart);
        float lacking = push.min_distance - distance;
        if (lacking <= SEPARATION_TOLERANCE * push.min_distance) continue;
        vec3 n = distance > 0.0 ? apart / distance : vec3(0.0, b < p ? -1.0 : 1.0, 0.0);
        u -= n * (OVERLAP_REDUCTION * lacking * inverse_mass_of(v) / (inverse_mass_of(v) + inverse_mass_of(vb)));
    }
    return u;
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 v = velocity(p);
    Neighborhood h = gather(p, v.xyz, 0u);
    mat3 step = push.dt * h.gradient;
    vec4 diagonal = strain_diagonal(p);
    vec4 shear = strain_shear(p);
    // Separated matter (E = 0, J > 1) carries no stress until its volume has closed again, so its particles can approach at any speed.
    bool apart = volume_ratio_of(diagonal) > 1.0 && diagonal.xyz == vec3(0.0) && shear.xyz == vec3(0.0);
    vec4 start = position(p);
    bool fluid = elastic_volume_of(start) < 0.0;
    uvec4 self = identity(p);
    // Neighborhoods of total bodies unfold again.
    bool total = is_total(id_of(self));
    if ((apart || fluid || total) && limit_fold(step)) atomicAdd(status(COUNT_FOLD_LIMITED), 1u);
    vec4 remembered = memory(p);
    vec4 words = state(p);
    uint material = material_of(self);
    Trial t = trial_strain(Symmetric(diagonal.xyz, shear.xyz), step);
    bool clamped = t.clamped;
    float forget, tension, correction = 0.0, bound = UNBOUNDED;
    vec3 spread = vec3(0.0);
    Symmetric E, flowed = symmetric_zero();
#ifdef TENSOR_MODELS
    TensorPoint point = resting_point();
    if (material_is_tensor(material)) {
        point = carried_point(p, t, step, clamped);
        mat3 tau;
        material_respond(material, words, push.dt, point, tau);
        tension = tension_of(to_symmetric(tau));
        Symmetric before = strain_of(point.strain);
        forget = material_advance(material, words, push.dt, point);
        E = strain_of(point.strain);
        flowed = Symmetric(E.diagonal - before.diagonal, E.shear - before.shear);
    } else
#endif
    {
        vec4 before = words;
        vec3 hencky = material_project(material, words, push.dt, t.hencky, forget);
        float flows = 1.0 - forget;
        if (flows > 0.0 && !fluid && !total) {
            Packing found = packing(p, rest_volume_of(remembered), v, step);
            correction = flows * packing_correction(body_of(self), found, volume_ratio_of(diagonal) * t.det);
            spread = looseness(forget) * openness(volume_ratio_of(diagonal) * t.det) * found.spread;
        }
        if (correction != 0.0) {
            words = before;
            hencky = material_project(material, words, push.dt, t.hencky + correction / 3.0, forget);
        }
        E = to_symmetric(compose(t.axes, expm1_(2.0 * hencky)));
        vec3 grown = exp(2.0 * t.hencky) * expm1_(2.0 * (hencky - t.hencky));
        if (any(notEqual(hencky, t.hencky))) flowed = to_symmetric(compose(t.axes, grown));
        tension = tension_of(Symmetric(material_kirchhoff(material, words, hencky), vec3(0.0)));
        if (MEMORY) bound = bound_of(material, words, hencky);
    }
    // Pairs that are measured neither tear nor forget, and fluids remember nothing.
    if (total || fluid) {
        tension = 0.0;
        bound = UNBOUNDED;
    }
    if (clamped) atomicAdd(status(COUNT_STRETCH_CLAMPED), 1u);

    vec3 x = position(p).xyz + push.dt * v.xyz;
    float radius = contact_radius(rest_volume_of(remembered));
    vec3 u = inverse_mass_of(v) > 0.0 ? led_out_of_colliders(p, x, radius, out_of_pairs(p, v) + spread) : vec3(0.0);
#ifdef SHEETS
    shift(2u * p) = vec4(u, 0.0); // settle_sheets commits and counts what contact with sheets leaves of it
    shift(2u * p + 1u) = vec4(spread, 0.0);
    limit_shifts(p, x, radius, u);
#else
    count_displaced(u - spread);
#endif
    vec3 lost;
    vec3 sum = exact_sum(position(p).xyz, position_low(p).xyz + (push.dt * v.xyz + u), lost);
    vec3 axial = 0.5 * vec3(step[1][2] - step[2][1], step[2][0] - step[0][2], step[0][1] - step[1][0]);
    vec3 kept = MEMORY && push.stabilization > 0.0 && !fluid ? bounded(forget * cayley(axial, remembered.xyz + push.dt * h.departure), bound) : vec3(0.0);

    // Internal forces turn with the matter: if they lagged behind, those of a spinning body would push it along.
    if (NEWTON) {
        vec4 acceleration = committed_internal_acceleration(p);
        committed_internal_acceleration(p) = vec4(cayley(axial, acceleration.xyz), near_springs_of(acceleration));
    }
    if (DEFORMATION) {
        for (uint k = 3u * p; k < 3u * p + 3u; ++k) {
            vec3 column = deformation(k).xyz;
            committed_deformation(k) = vec4(column + step * column, 0.0);
        }
    }
#ifdef MIXTURES
    // Grains will feel the mean acceleration as pressure.
    vec4 mean = mean_acceleration(p), before = velocity_start(p);
    vec2 had = room(p);
    float part = min(push.dt / (push.dt + ACCELERATION_TIME), room_of(had));
    if (fluid) mean.xyz += part * ((v.xyz - before.xyz) / push.dt - mean.xyz);
    committed_mean_acceleration(p) = mean;
#endif
    committed_position(p) = vec4(sum, 0.0);
    committed_position_low(p) = vec4(lost, bound);
    committed_velocity(p) = DEFERS ? v + vec4(deferred(p).xyz, 0.0) : v;
    committed_strain_diagonal(p) = vec4(E.diagonal, volume_ratio_of(diagonal) * t.det * exp(correction));
    committed_strain_shear(p) = vec4(E.shear, tension);
    committed_memory(p) = vec4(kept, rest_volume_of(remembered));
    commit_plastic(p, id_of(self), t, flowed);
    committed_state(p) = words;
    committed_identity(p) = self;
#ifdef TENSOR_MODELS
    uint at = p * HISTORY_WORDS;
    if (HISTORY_BRANCH) {
        Symmetric branch = strain_of(point.branch);
        committed_history(at) = vec4(branch.diagonal, 0.0);
        committed_history(at + 1u) = vec4(branch.shear, 0.0);
        at += 2u;
    }
    if (HISTORY_DEFORMATION) {
        for (uint k = 0u; k < 3u; ++k) committed_history(at + k) = vec4(point.deformation[k], 0.0);
    }
#endif

    uint failed = 0u;
    if (!(t.det >= FOLD_DETERMINANT)) failed = FAILED_FOLD;
    // Beyond this many cells from the origin f32 cannot tell neighboring cells apart.
    if (any(greaterThan(abs(sum), vec3(4e6 * push.cell_edge)))) failed = FAILED_NOT_FINITE;
    bool whole = finite(vec4(sum, volume_ratio_of(diagonal) * t.det)) && finite(v) && finite(vec4(E.diagonal, 0.0))
              && finite(vec4(E.shear, tension)) && finite(vec4(kept, 0.0)) && finite(words);
    if (!whole) failed = FAILED_NOT_FINITE;
    if (failed != 0u) {
        atomicOr(status(STATUS_FAILED), failed);
        atomicMin(status(STATUS_PARTICLE), id_of(self));
    }
    if (length(v.xyz) * push.dt > 0.5 * push.kernel_radius && in_reach(p, id_of(self))) atomicAdd(status(COUNT_FAST_PARTICLES), 1u);
}
