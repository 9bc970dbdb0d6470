// Adds up what a pass of the Newton solve does to a particle. With BLOCKS, which is set where the pass may be the first
// linearization, also the diagonal blocks of that, which serve them all. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "neighborhood.glsl"

layout(local_size_x = 64) in;

#ifdef BLOCKS
#include "secant_block.glsl"

void set_block(uint p, uvec2 range) {
    vec4 sums = gradient_sum(p);
    Symmetric block = block_of(kept_tangent(p), sums.xyz, sums.w);
    for (uint i = range.x; i < neighbor_end(range); ++i) {
        uvec4 own = pair(i);
        uint b = own.x & INDEX_MASK;
        uvec4 record = pair(reverse(i));
        vec4 weight = memory_weight(b);
        vec3 g = uintBitsToFloat(record.yzw);
        Symmetric more = block_of(kept_tangent(b), g, weight_of(record.x, g, weight));
        block.diagonal += more.diagonal;
        block.shear += more.shear;
    }
    newton_block_diagonal(p) = vec4(block.diagonal, 0.0);
    newton_block_shear(p) = vec4(block.shear, 0.0);
}
#endif

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uvec2 range = neighbor_range(p);
    vec4 sum = force(p);
    for (uint i = range.x; i < neighbor_end(range); ++i) sum += pair_force(reverse(i));
    force(p) = sum;
#ifdef BLOCKS
    uint mode = newton(NEWTON_MODE);
    if (mode == NEWTON_FIRST || mode == NEWTON_PREDICTED) set_block(p, range);
#endif
}
