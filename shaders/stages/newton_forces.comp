// Adds up the impulses on each particle in a pass of the Newton solve, including those of too-close pairs and links. With BLOCKS,
// set for passes that may be the first linearization, also adds up the diagonal blocks of this linearization, which serve all
// passes. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "neighborhood.glsl"
#include "near_spring.glsl"

layout(local_size_x = 64) in;

#ifdef FIRST_LINKED
#include "exact_sum.glsl"
bool multiplies() { return newton(NEWTON_MODE) == NEWTON_MULTIPLY; }
vec3 end_velocity(uint p) { return multiplies() ? newton_start(p).xyz : velocity(p).xyz; }
#include "link_force.glsl"
#endif

#ifdef BLOCKS
#include "secant_block.glsl"

#ifdef FIRST_LINKED
void add_link_blocks(uint p, inout Symmetric block) {
    uvec4 self = identity(p);
    Symmetric more = link_block_sum(id_of(self));
    block.diagonal += more.diagonal;
    block.shear += more.shear;
}
#endif

void set_block(uint p, uvec2 range) {
    vec4 sums = gradient_sum(p);
    Symmetric block = block_of(kept_tangent(p), sums.xyz, weight_sum_of(sums));
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
    for (uint i = range.x; i < near_end(range); ++i) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        NearPush near = pushed(p, b, position(b).xyz - position(p).xyz, velocity(b).xyz - velocity(p).xyz);
        if (near.lacking > 0.0) add_outer(block, near.normal, push.dt * push.dt * near.stiffness);
    }
#ifdef FIRST_LINKED
    add_link_blocks(p, block);
#endif
    newton_block_diagonal(p) = vec4(block.diagonal, 0.0);
    newton_block_shear(p) = vec4(block.shear, 0.0);
}
#endif

// Returns the forces of too-close pairs on p times dt [N s], and in w the trace of their diagonal block [kg]; while products are
// formed, their part of the matrix times the vector that the velocities hold.
vec4 near_forces(uint p, uvec2 range, bool multiplies) {
    vec4 sum = vec4(0.0);
    vec3 xp = position(p).xyz;
    vec3 vp = velocity(p).xyz, at = multiplies ? newton_start(p).xyz : vp;
    for (uint i = range.x; i < near_end(range); ++i) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec3 vb = velocity(b).xyz;
        NearPush near = pushed(p, b, position(b).xyz - xp, (multiplies ? newton_start(b).xyz : vb) - at);
        if (near.lacking <= 0.0) continue;
        float stiffness = push.dt * push.dt * near.stiffness;
        float change = multiplies ? dot(near.normal, vp - vb) : near.lacking / push.dt;
        sum += stiffness * vec4(change * near.normal, multiplies ? 0.0 : 1.0);
    }
    return sum;
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uvec2 range = neighbor_range(p);
    vec4 sum = balance(p);
    for (uint i = range.x; i < neighbor_end(range); ++i) sum += pair_force(reverse(i));
    uint mode = newton(NEWTON_MODE);
    if (near_end(range) > range.x) sum += near_forces(p, range, mode == NEWTON_MULTIPLY);
#ifdef FIRST_LINKED
    uvec4 self = identity(p);
    sum += link_force(id_of(self));
#endif
    balance(p) = sum;
#ifdef BLOCKS
    if (mode == NEWTON_FIRST || mode == NEWTON_PREDICTED) set_block(p, range);
#endif
}
