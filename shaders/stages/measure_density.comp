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
#ifdef MIXTURES
#include "mixture.glsl"
#endif
#ifdef TENSION
#include "tension.glsl"
#endif

layout(local_size_x = 64) in;

// Returns the distance [m] of a plane within the support as 1 at the center and 0 at its end.
float nearness(float distance) { return max(1.0 - 0.5 * abs(distance) / push.kernel_radius, 0.0); }

// Returns the fraction of a kernel's integral beyond a plane at the signed distance [m] from its center.
float beyond_wall(float distance) {
    float u = nearness(distance), u3 = u * u * u;
    float part = u3 * u3 * (3.5 - 4.5 * u + 1.5 * u * u);
    return distance < 0.0 ? 1.0 - part : part;
}

// Returns its derivative by the way towards the plane [1/m].
float wall_slope(float distance) {
    float u = nearness(distance), u2 = u * u;
    return 10.5 / push.kernel_radius * u2 * u2 * u * (1.0 - 1.5 * u + 4.0 / 7.0 * u2);
}

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
    float sum = -elastic_volume_of(x) * surround(0.0);
    uvec2 range = neighbor_range(p);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        vec4 other = position(record.x & INDEX_MASK);
        uvec4 neighbor = identity(record.x & INDEX_MASK);
        float part = filled_part(material, material_index_of(neighbor));
        sum += part * abs(elastic_volume_of(other)) * surround(distance(other.xyz, x.xyz));
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
    float volume = -elastic_volume_of(x);
    float sum = volume * kernel(0.0, push.kernel_radius);
    float drag = 0.0;      // [kg/s]
    vec2 bed = vec2(0.0); // what grains with pores fill of the kernel, and their solid part
    uvec2 range = neighbor_range(p);
    uvec4 self = identity(p);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        vec4 other = position(record.x & INDEX_MASK);
        float part = abs(elastic_volume_of(other)) * kernel(distance(other.xyz, x.xyz), push.kernel_radius);
#ifdef MIXTURES
        uvec4 neighbor = identity(record.x & INDEX_MASK);
        float rate = drag_rate(material_index_of(self), material_index_of(neighbor));
        if (rate >= 0.0) {
            drag += volume * rate * part;
            bed += part * vec2(1.0, solid_part(material_index_of(self), material_index_of(neighbor)));
            continue;
        }
#endif
        sum += part;
    }
    vec3 free = vec3(1.0), slope = vec3(0.0), depths = vec3(2.0 * push.kernel_radius);
    for (uint slot = 0u, touched = touched_by(p); touched != 0u; ++slot, touched >>= 8) {
        uint at = face_at(touched);
        vec4 word = collider(at + 4u);
        // Matter that starts within a collider leaves it by displacement, not by pressure.
        float depth = max(collider_distance(at, carried(at, x.xyz, FAR)).w - word.w, contact_radius(volume));
        depths[slot] = depth;
        free[slot] = 1.0 - beyond_wall(depth);
        slope[slot] = wall_slope(depth);
    }
    float all = free.x * free.y * free.z;
    float rest = rest_sum(body_of(self)), solid = 0.0;
#ifdef MIXTURES
    solid = presence(bed.x, all) * bed.y / max(bed.x, 1e-30);
    // In pores the particles of a fluid are farther apart.
    float radius = push.kernel_radius;
    rest *= sparse_sum(volume / (radius * radius * radius * (1.0 - solid / max(all, 1e-30))));
#endif
    float filled = sum / rest + solid;
    float theta = 1.0 - (filled + (1.0 - all));
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
