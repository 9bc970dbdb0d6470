// Adds up the impulses on each particle in a pass of the Newton solve, including those of the other constraints; where the scale of the
// residual is measured, linked particles get the response to them. With BLOCKS, set for passes that may be the first linearization, also
// adds up the diagonal blocks of this linearization, which serve all passes. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "neighborhood.glsl"
#include "exact_sum.glsl"

layout(local_size_x = 64) in;

bool multiplies = false; // true while products are formed
vec3 end_velocity(uint p) { return multiplies ? newton_start(p).xyz : velocity(p).xyz; }
#define NEWTON_BALANCE
#ifdef SHEETS
#define SHEET_BALANCE
#endif
#include "generated/constraint_forces.glsl"
#ifdef BLOCKS
#include "constraints/inelastic/block.glsl"

void set_block(uint p, uvec2 range) {
    vec4 sums = gradient_sum(p);
    Symmetric block = block_of(kept_tangent(p), sums.xyz, weight_sum_of(sums));
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 own = pair(i);
        uint b = own.x & INDEX_MASK;
        uvec4 record = pair(reverse(i));
        vec4 weight = memory_weight(b);
        vec3 g = uintBitsToFloat(record.yzw);
        Symmetric more = block_of(kept_tangent(b), g, weight_of(record.x, g, weight));
        block.diagonal += more.diagonal;
        block.shear += more.shear;
    }
    add_constraint_blocks(p, range, block);
    newton_block_diagonal(p) = vec4(block.diagonal, 0.0);
    newton_block_shear(p) = vec4(block.shear, 0.0);
}
#else
#include "constraints/links/response.glsl"
#endif

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uvec2 range = neighbor_range(p);
    vec4 sum = balance(p);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) sum += pair_force(reverse(i));
    uint mode = newton(NEWTON_MODE);
    multiplies = mode == NEWTON_MULTIPLY;
    add_constraint_forces(p, range, sum);
#if defined(FIRST_LINKED) && !defined(BLOCKS)
    uvec4 self = identity(p);
    if (push.phase == 0u && is_linked(id_of(self))) sum.xyz = response_to(p, range, sum.xyz);
#endif
    balance(p) = sum;
#ifdef BLOCKS
    // A solve that returns to its guess keeps the blocks of the predicted velocities.
    if (mode == NEWTON_FIRST || mode == NEWTON_PREDICTED) set_block(p, range);
#endif
}
