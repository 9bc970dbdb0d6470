// Computes the corrected kernel gradients g_b = V_b L_p grad W (eq. 10) and the sums over each neighborhood that the iterations
// need (engine/solver/METHOD.md). One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "kernel.glsl"
#include "symmetric.glsl"
#include "metric.glsl"
#include "curvature.glsl"
#include "neighborhood.glsl"
#include "exact_sum.glsl"
#include "total.glsl"
#include "total_body.glsl"
#ifdef MIXTURES
#include "mixture.glsl"
#endif

layout(local_size_x = 64) in;
layout(constant_id = 0) const bool CORRECTION = true;
layout(constant_id = 1) const bool SPLIT_MASSES = false;
layout(constant_id = 2) const bool METRIC = true;

// Returns the number of rows among which a Jacobi sweep splits the mass of b: one per neighbor and its own.
float share(uint b) {
    if (!SPLIT_MASSES) return 1.0;
    uvec2 range = neighbor_range(b);
    return float(neighbor_count(range) + 1u);
}

// Returns true if kernels of one particle overlook another one, of a body that is soft to its own.
bool overlooks(uint p, uint b) {
#ifdef CONTRAST
    uvec4 self = identity(p), neighbor = identity(b);
    float other = body_modulus(body_of(neighbor));
    return body_of(self) != body_of(neighbor) && other > 0.0 && other < SOFT * body_modulus(body_of(self));
#else
    return false;
#endif
}

// Returns -W' V_b / |d| of a neighbor at offset d from a particle with kernel weight `own`. A linked particle has no volume and no
// gradients; fluids, of negative volume, see all volumes but those of
// grains with pores, other matter none of theirs, and stiff matter none of a soft body.
float slope_of(uint p, vec2 own, uint b, Symmetric metric, vec3 d) {
    vec2 other = kernel_weight(b);
#ifdef FIRST_LINKED
    if (kernel_volume_of(own) == 0.0) return 0.0;
#endif
    if (overlooks(p, b)) return 0.0;
    float seen = kernel_volume_of(own) < 0.0 ? abs(kernel_volume_of(other)) : max(kernel_volume_of(other), 0.0);
#ifdef MIXTURES
    if (kernel_volume_of(own) < 0.0) {
        uvec4 self = identity(p), neighbor = identity(b);
        if (pores_of(material_index_of(self), material_index_of(neighbor)).x >= 0.0) return 0.0;
    }
#endif
    return seen * kernel_slope(sqrt(unstrained2(metric, d)), push.kernel_radius);
}

// Returns L: the pseudo-inverse of the moment, scaled down along steep axes; `squares` is sum a a^T. `steepness` is the largest
// ratio, over the axes, of r sqrt(sum (g_b . e)^2) before scaling to the square root of its bound.
mat3 corrector(Symmetric moment, Symmetric squares, bool fluid, out int rank, out float steepness) {
    vec3 w;
    mat3 u;
    eigen(moment, w, u);
    vec3 sums = vec3(dot(u[0], apply(squares, u[0])), dot(u[1], apply(squares, u[1])), dot(u[2], apply(squares, u[2])));
    bvec3 kept = greaterThan(w, vec3(RANK_TOLERANCE * max(max(w.x, w.y), max(w.z, 0.0))));
    vec3 steep = mix(vec3(0.0), push.kernel_radius * sqrt(abs(sums) / STEEPEST) / w, kept);
    ivec3 counted = ivec3(kept);
    rank = counted.x + counted.y + counted.z;
    steepness = fluid ? 0.0 : max(steep.x, max(steep.y, steep.z));
    vec3 complete = clamp((w - FLUID_COMPLETES_FROM) / (FLUID_COMPLETES_TO - FLUID_COMPLETES_FROM), 0.0, 1.0);
    if (fluid) return compose(u, mix(vec3(0.0), mix(vec3(1.0), 1.0 / w, complete), kept));
    return compose(u, mix(vec3(0.0), 1.0 / (max(steep, vec3(1.0)) * w), kept));
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count || status(STATUS_FAILED) != 0u) return;
    uvec2 range = neighbor_range(p);
    vec2 own = kernel_weight(p);
    float inv_mp = kernel_inverse_mass_of(own) * share(p);
    Symmetric metric = METRIC ? metric_of(p) : symmetric_zero();

    vec4 low = position_low(p);
    bool fluid = kernel_volume_of(own) < 0.0;
    // A particle of a total body has the gradients that its pairs hold.
    bool total = in_total_body(p);
    // Matter whose memory has no bound never flows.
    bool curved = METRIC && memory_bound_of(low) >= UNBOUNDED && !fluid && !total;
    Symmetric moment = symmetric_zero();    // sum a d^T
    Symmetric squares = symmetric_zero();   // sum a a^T
    Symmetric weighted = symmetric_zero();  // sum w^ a d^T
    Curvature curvature = curvature_zero();
    vec3 m = vec3(0.0);
    float w_sum = 0.0;
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        vec3 d = uintBitsToFloat(record.yzw);
        float slope = slope_of(p, own, record.x & INDEX_MASK, metric, d);
        float w = raw_weight(record.x);
        w_sum += w;
        if (total) continue;
        add_outer(moment, d, slope);
        add_outer(weighted, d, w * slope);
        add_outer(squares, slope * d, 1.0);
        if (curved) add_curvature(curvature, d / push.kernel_radius, slope * push.kernel_radius * push.kernel_radius, w == 0.0);
        m += w * d;
    }

    int rank = 3;
    float steepness = 0.0, flatness;
    mat3 L = CORRECTION && !total ? corrector(moment, squares, fluid, rank, steepness) : mat3(1.0);
#if defined(FIRST_LINKED) || defined(FIRST_TOTAL)
    if (kernel_volume_of(own) == 0.0) rank = 3;
    else
#endif
    if (neighbor_count(range) == 0u) atomicAdd(status(COUNT_ISOLATED), 1u);
    else if (rank < 3 && !fluid) atomicAdd(status(COUNT_RANK_DEFICIENT), 1u);
    if (steepness > 1.0) atomicAdd(status(COUNT_GRADIENT_LIMITED), 1u);
#ifdef MIXTURES
    // The energy of a fluid in pores is that of the space which it shares.
    vec2 had = room(p);
    if (fluid) L = L / room_of(had);
#endif
    vec3 q = pseudo_inverse(weighted, RANK_TOLERANCE, flatness) * m;
    if (CORRECTION) q = apply(moment, q);
    if (total) q = memory_weight(p).xyz;
    float part = 0.0;
    if (curved && rank == 3) part = curvature_share(curvature, steepness * steepness, flatness);
    CurvatureCorrector corrected = CurvatureCorrector(L, mat3(0.0), mat3(0.0));
    if (part > 0.0) corrected = curvature_corrector(curvature, L, part);

    Symmetric inertia = symmetric_zero();         // sum g g^T / m
    Symmetric memory_inertia = symmetric_zero();  // sum w^^2 g g^T / m
    Symmetric coupling = symmetric_zero();        // sum w^ g g^T / m
    mat3 spans = mat3(0.0);                       // sum w^ d g^T
    vec3 s = vec3(0.0), wg_sum = vec3(0.0), wg_mass = vec3(0.0), wwg_mass = vec3(0.0);
    float ww_mass = 0.0;
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint packed_index = record.x;
        uint b = packed_index & INDEX_MASK;
        vec3 d = uintBitsToFloat(record.yzw);
        vec3 g = d;
        if (!total) g = (slope_of(p, own, b, metric, d) * push.kernel_radius) * curvature_gradient(corrected, d / push.kernel_radius);
        pair(i) = uvec4(packed_index, floatBitsToUint(g));
        vec2 other = kernel_weight(b);
        float true_inv = kernel_inverse_mass_of(other);
        float inv_mb = true_inv * share(b);
        float w = raw_weight(packed_index);
        add_outer(inertia, g, inv_mb);
        add_outer(coupling, g, w * true_inv);
        add_outer(memory_inertia, g, w * w * inv_mb);
        spans += outerProduct(w * d, g);
        s += g;
        wg_sum += w * g;
        wg_mass += (w * true_inv) * g;
        wwg_mass += (w * w * inv_mb) * g;
        ww_mass += w * w * inv_mb;
    }
    if (part > 0.0) q = inverse(spans) * m;
    // A fluid compares itself with the mean of the grains around it, on which side of it they may be.
    if (fluid) q = vec3(0.0);
    float inv_w = w_sum > 0.0 ? 1.0 / w_sum : 0.0;

    // With w' = w^ (1 - g . q) / sum w^, products of w' and g expand into the sums above.
    float sw = inv_w * (w_sum - dot(wg_sum, q));
    float ww = inv_w * inv_w * (ww_mass - 2.0 * dot(wwg_mass, q) + dot(q, apply(memory_inertia, q)));
    vec3 wg = inv_w * (wg_mass - apply(coupling, q));
    Symmetric with_self = inertia;
    add_outer(with_self, s, inv_mp);
    vec3 stiffness;
    mat3 axes;
    eigen(with_self, stiffness, axes);

    moment_diagonal(p) = vec4(inertia.diagonal, max(stiffness.x, max(stiffness.y, stiffness.z)));
    moment_shear(p) = vec4(inertia.shear, ww + sw * sw * inv_mp);
    gradient_sum(p) = vec4(s, sw);
    memory_response(p) = vec4(wg + (sw * kernel_inverse_mass_of(own)) * s, memory_bound_of(low));
    memory_weight(p) = vec4(q, inv_w);
}
