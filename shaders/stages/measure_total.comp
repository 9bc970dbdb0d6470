// Measures what total bodies have become since the start, over the neighbors that their particles keep: deformation gradient F, elastic
// strain and zero-energy displacement. Lists these neighbors with their present gradients. Sums are taken in two f32 parts: strains of
// stiff matter are smaller than the rounding of F. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "neighborhood.glsl"
#include "exact_sum.glsl"
#include "total.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint HISTORY_WORDS = 0u; // words that a particle carries for models of the tensor variant
layout(constant_id = 1) const bool HISTORY_BRANCH = false;
layout(constant_id = 2) const bool HISTORY_DEFORMATION = false;
layout(constant_id = 3) const bool DEFORMATION = false; // frames show the deformation gradient

#ifdef FIRST_TOTAL
float determinant_of(mat3 m) { return dot(m[0], cross(m[1], m[2])); }

// Raises the principal stretches to LEAST_STRETCH and returns whether any was less. The least stretch of a deformation that turns matter
// inside out is negative: raised, it resists with a pressure along its own axis, which turns the matter back.
bool unfold(inout mat3 F) {
    vec3 w;
    mat3 axes;
    eigen(to_symmetric(transpose(F) * F), w, axes);
    if (determinant_of(F) > 0.0 && min(w.x, min(w.y, w.z)) >= LEAST_STRETCH * LEAST_STRETCH) return false;
    ivec3 order = ivec3(0, 1, 2);
    if (w[order.y] > w[order.x]) order = order.yxz;
    if (w[order.z] > w[order.y]) order = order.xzy;
    if (w[order.y] > w[order.x]) order = order.yxz;
    mat3 from = mat3(axes[order.x], axes[order.y], axes[order.z]);
    mat3 moved = F * from;
    vec3 first = dot(moved[0], moved[0]) > 0.0 ? normalize(moved[0]) : from[0];
    vec3 second = moved[1] - dot(moved[1], first) * first;
    vec3 other = abs(first.x) < 0.6 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
    second = normalize(dot(second, second) > 0.0 ? second : cross(first, other));
    mat3 to = mat3(first, second, sign(determinant_of(from)) * cross(first, second));
    F = mat3(0.0);
    for (int i = 0; i < 3; ++i) F += outerProduct(max(dot(moved[i], to[i]), LEAST_STRETCH) * to[i], from[i]);
    return true;
}

// Returns F F^T - I + F P F^T.
Symmetric strain_of(Exact F, Symmetric P) {
    Exact sum = Exact(mat3(0.0), mat3(0.0));
    sum.high[0] = vec3(-1.0);
    for (int k = 0; k < 3; ++k) {
        vec3 f = F.high[k], low = F.low[k];
        add_exact(sum, 0, f, 2.0 * low, f);
        add_exact(sum, 1, f.yxx, low.yxx, f.zzy);
        sum.low[1] += f.yxx * low.zzy;
    }
    Symmetric flowed = to_symmetric(F.high * to_matrix(P) * transpose(F.high));
    return Symmetric(sum.high[0] + (sum.low[0] + flowed.diagonal), sum.high[1] + (sum.low[1] + flowed.shear));
}

// Writes a record to its place among the `count` records from `first` on, which ascend.
void insert(uint first, uint stride, uint count, uvec4 record) {
    uint at = first + count * stride;
    for (; at > first; at -= stride) {
        uvec4 before = pair(at - stride);
        if ((before.x & INDEX_MASK) < (record.x & INDEX_MASK)) break;
        pair(at) = before;
    }
    pair(at) = record;
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count || status(STATUS_FAILED) != 0u) return;
    uvec4 self = identity(p);
    if (!is_total(id_of(self))) return;
    uint row = id_of(self) - FIRST_TOTAL;
    uvec2 range = neighbor_range(p);
    uint stride = stride_of(range);
    uint kept = near_end(range);
    // Contact has no gradients.
    for (uint i = range.x; i < kept; i += stride) {
        uvec4 record = pair(i);
        pair(i) = uvec4(record.x, uvec3(0u));
    }
    vec4 weight = total_weight(row);
    vec3 x = position(p).xyz, low = position_low(p).xyz;
    Exact F = Exact(mat3(0.0), mat3(0.0));
    vec3 h = vec3(0.0);
    uint first = total_start(row), count = total_start(row + 1u) - first;
    for (uint k = 0u; k < count; ++k) {
        uvec4 entry = total_pair(first + k);
        vec3 g = uintBitsToFloat(entry.yzw);
        uint b = total_place((entry.x & INDEX_MASK) - FIRST_TOTAL);
        vec3 lost;
        vec3 d = exact_sum(position(b).xyz, -x, lost);
        lost += position_low(b).xyz - low;
        for (int j = 0; j < 3; ++j) add_exact(F, j, d, lost, vec3(g[j]));
        h += weight_of(entry.x, g, weight) * (d + lost);
        insert(kept, stride, k, uvec4(b | (entry.x & ~INDEX_MASK), entry.yzw));
    }
    if (weight_scale_of(weight) == 0.0) F = Exact(mat3(1.0), mat3(0.0)); // sinks took its neighbors
    for (int j = 0; j < 3; ++j) F.high[j] = exact_sum(F.high[j], F.low[j], F.low[j]);
    mat3 stretch = F.high;
    if (unfold(stretch)) {
        F = Exact(stretch, mat3(0.0));
        atomicAdd(status(COUNT_UNFOLDED), 1u);
    }
    float det = determinant_of(stretch);
    mat3 back = mat3(cross(stretch[1], stretch[2]), cross(stretch[2], stretch[0]), cross(stretch[0], stretch[1])) * (1.0 / det);
    for (uint k = 0u; k < count; ++k) {
        uvec4 record = pair(kept + k * stride);
        pair(kept + k * stride) = uvec4(record.x, floatBitsToUint(back * uintBitsToFloat(record.yzw)));
    }

    Symmetric E = strain_of(F, Symmetric(plastic(2u * p).xyz, plastic(2u * p + 1u).xyz));
    vec4 shear = strain_shear(p), remembered = memory(p);
    strain_diagonal(p) = vec4(E.diagonal, det);
    strain_shear(p) = vec4(E.shear, tension_bound_of(shear));
    memory(p) = vec4(h, rest_volume_of(remembered));
    memory_weight(p) = vec4(stretch * weight.xyz, weight_scale_of(weight));
    for (uint k = 0u; k < 3u; ++k) {
        total_unstretch(3u * row + k) = vec4(back[k], 0.0);
        if (HISTORY_DEFORMATION) history(p * HISTORY_WORDS + (HISTORY_BRANCH ? 2u : 0u) + k) = vec4(stretch[k], 0.0);
        if (DEFORMATION) deformation(3u * p + k) = vec4(stretch[k], 0.0);
    }
}
#else
void main() {}
#endif
