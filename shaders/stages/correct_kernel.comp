// Corrected kernel gradients g_b = V_b L_p grad W (eq. 10) and the sums over a neighborhood that the
// iterations need (engine/solver/README.md). One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "kernel.glsl"
#include "symmetric.glsl"
#include "metric.glsl"
#include "neighborhood.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const bool CORRECTION = true;
layout(constant_id = 1) const bool SPLIT_MASSES = false;
layout(constant_id = 2) const bool METRIC = true;

const float CUTOFF = 1e-3;

// Largest r^2 sum (g_b . e)^2 along an axis e of the moment: gradients are scaled down to it. Neighbors that lie
// in a plane but for a sixth of a spacing say next to nothing of the gradient across it.
const float STEEPEST = 6.0;

// The neighbors of b share its mass in a Jacobi sweep.
float share(uint b) {
    if (!SPLIT_MASSES) return 1.0;
    uvec2 range = neighbor_range(b);
    return float((range.y & 0xffffu) + 1u);
}

// L: the pseudo-inverse of the moment, scaled down along steep axes; `squares` is sum a a^T.
mat3 corrector(Symmetric moment, Symmetric squares, out int rank, out bool limited) {
    vec3 w;
    mat3 u;
    eigen(moment, w, u);
    vec3 sums = vec3(dot(u[0], apply(squares, u[0])), dot(u[1], apply(squares, u[1])), dot(u[2], apply(squares, u[2])));
    bvec3 kept = greaterThan(w, vec3(CUTOFF * max(max(w.x, w.y), max(w.z, 0.0))));
    vec3 scale = mix(vec3(1.0), sqrt(STEEPEST / abs(sums)) * w / push.kernel_radius, kept);
    ivec3 counted = ivec3(kept);
    rank = counted.x + counted.y + counted.z;
    limited = any(lessThan(scale, vec3(1.0)));
    return compose(u, mix(vec3(0.0), min(scale, vec3(1.0)) / w, kept));
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count || status(STATUS_FAILED) != 0u) return;
    uvec2 range = neighbor_range(p);
    vec2 own = kernel_weight(p);
    float inv_mp = own.y * share(p);
    Symmetric metric = METRIC ? metric_of(p) : symmetric_zero();

    // All sums are taken over a_b = V_b grad W and turned by L afterwards, which saves a pass.
    Symmetric moment = symmetric_zero();          // sum a d^T
    Symmetric squares = symmetric_zero();         // sum a a^T
    Symmetric weighted = symmetric_zero();        // sum w^ a d^T
    Symmetric inertia = symmetric_zero();         // sum a a^T / m
    Symmetric memory_inertia = symmetric_zero();  // sum w^^2 a a^T / m
    Symmetric coupling = symmetric_zero();        // sum w^ a a^T / m
    vec3 a_sum = vec3(0.0), m = vec3(0.0), wa_sum = vec3(0.0), wa_mass = vec3(0.0), wwa_mass = vec3(0.0);
    float w_sum = 0.0, ww_mass = 0.0;
    for (uint i = range.x; i < neighbor_end(range); ++i) {
        uvec4 record = pair(i);
        uint packed_index = record.x;
        uint b = packed_index & INDEX_MASK;
        vec2 other = kernel_weight(b);
        float true_inv = other.y;
        float inv_mb = true_inv * share(b);
        vec3 d = uintBitsToFloat(record.yzw);
        float slope = other.x * kernel_slope(sqrt(unstrained2(metric, d)), push.kernel_radius);
        vec3 a = slope * d;
        float w = raw_weight(packed_index);
        add_outer(moment, d, slope);
        add_outer(weighted, d, w * slope);
        add_outer(squares, a, 1.0);
        add_outer(inertia, a, inv_mb);
        add_outer(coupling, a, w * true_inv);
        add_outer(memory_inertia, a, w * w * inv_mb);
        a_sum += a;
        m += w * d;
        wa_sum += w * a;
        wa_mass += (w * true_inv) * a;
        wwa_mass += (w * w * inv_mb) * a;
        w_sum += w;
        ww_mass += w * w * inv_mb;
    }

    int rank = 3, memory_rank;
    bool limited = false;
    mat3 L = CORRECTION ? corrector(moment, squares, rank, limited) : mat3(1.0);
    if (neighbor_end(range) == range.x) atomicAdd(status(COUNT_ISOLATED), 1u);
    else if (rank < 3) atomicAdd(status(COUNT_RANK_DEFICIENT), 1u);
    if (limited) atomicAdd(status(COUNT_GRADIENT_LIMITED), 1u);
    vec3 y = pseudo_inverse(weighted, CUTOFF, memory_rank) * m;
    vec3 q = CORRECTION ? apply(moment, y) : y;
    // g . q = a . (L q), and L q = y along what L keeps and does not scale.
    if (rank < 3 || limited) y = L * q;
    float inv_w = w_sum > 0.0 ? 1.0 / w_sum : 0.0;
    vec3 s = L * a_sum;

    // With w' = w^ (1 - a . y) / sum w^, products of w' and g expand into the sums above.
    float sw = inv_w * (w_sum - dot(wa_sum, y));
    float ww = inv_w * inv_w * (ww_mass - 2.0 * dot(wwa_mass, y) + dot(y, apply(memory_inertia, y)));
    vec3 wg = inv_w * (L * (wa_mass - apply(coupling, y)));
    Symmetric S = to_symmetric(L * to_matrix(inertia) * L);
    Symmetric with_self = S;
    add_outer(with_self, s, inv_mp);
    vec3 stiffness;
    mat3 axes;
    eigen(with_self, stiffness, axes);

    moment_diagonal(p) = vec4(S.diagonal, max(stiffness.x, max(stiffness.y, stiffness.z)));
    moment_shear(p) = vec4(S.shear, ww + sw * sw * inv_mp);
    gradient_sum(p) = vec4(s, sw);
    vec4 low = position_low(p);
    memory_response(p) = vec4(wg + (sw * own.y) * s, low.w);
    memory_weight(p) = vec4(q, inv_w);

    for (uint i = range.x; i < neighbor_end(range); ++i) {
        uvec4 record = pair(i);
        uint packed_index = record.x;
        vec2 other = kernel_weight(packed_index & INDEX_MASK);
        vec3 d = uintBitsToFloat(record.yzw);
        vec3 g = L * ((other.x * kernel_slope(sqrt(unstrained2(metric, d)), push.kernel_radius)) * d);
        pair(i) = uvec4(packed_index, floatBitsToUint(g));
    }
}
