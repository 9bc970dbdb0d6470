// Gives fluids the strain of their density at the start of the substep, isotropic with ln J = 1 - rho / rho_0 (Macklin and Mueller 2013,
// eq. 1): rho / rho_0 = sum V W / (sum V W at rest), over the particle and all matter around it, and what walls take of the kernel.
// Walls push by the pressure as matter in their place would. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "kernel.glsl"
#include "neighborhood.glsl"
#include "materials.glsl"
#include "constraints/colliders/distance.glsl"
#include "constraints/colliders/contact_radius.glsl"
#include "constraints/colliders/touched.glsl"
#include "wall_part.glsl"
#ifdef MIXTURES
#include "mixture.glsl"
#endif
#ifdef TENSION
#include "tension.glsl"
#endif

layout(local_size_x = 64) in;

// Gives grains the cohesion by their saturation, sum V_b W / (n sum V_g W) over the fluids b and the grains g around them, themselves
// included.
void wet(uint p, vec4 x) {
#ifdef MIXTURES
    uvec4 self = identity(p);
    uvec2 range = neighbor_range(p);
    for (uint m = 0u; m < MIXTURES; ++m) {
        if (MIXED[m].y != material_index_of(self) || CURVE_RANGE[m].x == CURVE_RANGE[m].y) continue;
        vec2 sums = vec2(0.0, elastic_volume_of(x) * kernel(0.0, push.kernel_radius));
        for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
            uvec4 record = pair(i);
            vec4 other = position(record.x & INDEX_MASK);
            uvec4 neighbor = identity(record.x & INDEX_MASK);
            bvec2 counts = equal(MIXED[m], uvec2(material_index_of(neighbor)));
            sums += mix(vec2(0.0), vec2(abs(elastic_volume_of(other))), counts) * kernel(distance(other.xyz, x.xyz), push.kernel_radius);
        }
        vec4 words = state(p);
        words[WETTING_WORD[m]] = cohesion_at(m, min(sums.x / ((1.0 - PORES[m].x) * sums.y), 1.0));
        state(p) = words;
    }
#endif
}

// Returns what the neighborhood of a fluid's particle lacks: matter of any kind and walls fill it, these at the distances `depth` [m].
float lack_of(uint p, vec4 x, uvec4 self, vec3 depth) {
#ifdef TENSION
    uint material = material_index_of(self);
    if (COHESION[material] == 0.0) return 0.0;
    vec2 own = kernel_weight(p);
    float sum = abs(kernel_volume_of(own)) * surround(0.0);
    uvec2 range = neighbor_range(p);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        vec4 other = position(record.x & INDEX_MASK);
        uvec4 neighbor = identity(record.x & INDEX_MASK);
        float part = filled_part(material, material_index_of(neighbor));
        vec2 seen = kernel_weight(record.x & INDEX_MASK);
        sum += part * abs(kernel_volume_of(seen)) * surround(distance(other.xyz, x.xyz));
    }
    float free = (1.0 - lacking_beyond(depth.x)) * (1.0 - lacking_beyond(depth.y)) * (1.0 - lacking_beyond(depth.z));
    return max(free - sum / FULL[material], 0.0);
#else
    return 0.0;
#endif
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count || status(STATUS_FAILED) != 0u) return;
    vec4 x = position(p);
    if (elastic_volume_of(x) > 0.0) wet(p, x);
    if (elastic_volume_of(x) >= 0.0) return;
    float rest_volume = -elastic_volume_of(x);
    vec2 own = kernel_weight(p);
    float volume = abs(kernel_volume_of(own)); // in pores with the part of the grains
    float sum = volume * kernel(0.0, push.kernel_radius);
    vec2 bed = vec2(0.0); // sums of drag and solid part over grains with pores
    uvec2 range = neighbor_range(p);
    uvec4 self = identity(p);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        vec4 other = position(record.x & INDEX_MASK);
        vec2 seen = kernel_weight(record.x & INDEX_MASK);
        float part = abs(kernel_volume_of(seen)) * kernel(distance(other.xyz, x.xyz), push.kernel_radius);
#ifdef MIXTURES
        uvec4 neighbor = identity(record.x & INDEX_MASK);
        vec2 pores = pores_of(material_index_of(self), material_index_of(neighbor));
        if (pores.x >= 0.0) {
            bed += pores.yx * part;
            continue;
        }
#endif
        sum += part;
    }
    vec3 free = vec3(1.0), slope = vec3(0.0), depths = vec3(2.0 * push.kernel_radius);
    for (uint slot = 0u, touched = touched_by(p); touched != 0u; ++slot, touched >>= 8) {
        uint at = face_at(touched);
        float depth = wall_depth(at, x.xyz, rest_volume);
        depths[slot] = depth;
        free[slot] = 1.0 - beyond_wall(depth);
        slope[slot] = wall_slope(depth);
    }
    float all = free.x * free.y * free.z;
    float rest = rest_sum(body_of(self)), drag = 0.0; // [kg/s]
#ifdef MIXTURES
    // The presence of the bed is its solid part over that of its grains.
    vec2 had = room(p);
    if (bed.y > 0.0) drag = volume * (1.0 - room_of(had)) * bed.x / bed.y;
    // In pores the particles of a fluid are farther apart.
    float radius = push.kernel_radius;
    rest *= sparse_sum(volume / (radius * radius * radius));
#endif
    float filled = sum / rest + (1.0 - all);
    float theta = 1.0 - filled;
    strain_diagonal(p) = vec4(vec3(expm1_(2.0 / 3.0 * theta)), exp(theta));
    fluid_shear(p) = vec4(vec3(0.0), -max(drag, 1e-30)); // below zero for every fluid

#ifdef TENSION
    lack(p) = lack_of(p, x, self, depths);
#endif

    // Walls that overlap are counted once. The pressure falls while the particle gives way.
    vec4 v = velocity(p), words = state(p);
    vec3 gradient = push.dt * slope * free.yzx * free.zxy;
    vec3 kick = gradient * (volume * inverse_mass_of(v) * material_moduli(material_of(self), words).y);
    wall_push(p) = vec4(kick * max(-theta, 0.0) / (1.0 + kick * gradient), 0.0);
}
