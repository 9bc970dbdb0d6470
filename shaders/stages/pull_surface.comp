// Adds the forces of surface tension to the predicted velocities: those of the energies s / 2 V_p D_p^2 of fluids, D being what their
// neighborhoods lack. Forces point along pairs as they will lie at the end if velocities stay, like those of the pressure that bears them.
// One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "neighborhood.glsl"
#include "constraints/colliders/distance.glsl"
#include "constraints/colliders/contact_radius.glsl"
#include "constraints/colliders/touched.glsl"
#ifdef MIXTURES
#include "mixture.glsl"
#endif

layout(local_size_x = 64) in;

#ifdef TENSION
#include "tension.glsl"

// Returns the stress s D / rest of what a particle lacks [Pa].
float stress(uint p, uint material) {
    return COHESION[material] > 0.0 ? COHESION[material] * lack(p) / FULL[material] : 0.0;
}

// Returns the force of neighbors on p, the volume of which is given [N].
vec3 by_matter(uint p, vec3 start, float volume, uint material) {
    vec3 x = start + push.dt * velocity_start(p).xyz;
    float own = stress(p, material);
    vec3 sum = vec3(0.0);
    uvec2 range = neighbor_range(p);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        uvec4 other = identity(b);
        float others = stress(b, material_index_of(other));
        if (own == 0.0 && others == 0.0) continue;
        vec4 at = position(b);
        float strength = own * filled_part(material, material_index_of(other)) + others * filled_part(material_index_of(other), material);
        vec3 d = at.xyz + push.dt * velocity_start(b).xyz - x;
        vec2 seen = kernel_weight(b);
        sum += strength * abs(kernel_volume_of(seen)) * surround_pull(length(d)) * d;
    }
    return volume * sum;
}

// Returns the force of walls on p, a particle of a fluid [N].
vec3 by_walls(uint p, vec4 x, float volume, uint material) {
    if (COHESION[material] == 0.0) return vec3(0.0);
    vec3 free = vec3(1.0), pull[CONTACT_SLOTS] = vec3[CONTACT_SLOTS](vec3(0.0), vec3(0.0), vec3(0.0));
    for (uint slot = 0u, touched = touched_by(p); touched != 0u; ++slot, touched >>= 8) {
        uint at = face_at(touched);
        vec4 word = collider(at + 4u);
        vec4 surface = collider_distance(at, carried(at, x.xyz, FAR));
        float depth = max(surface.w - word.w, contact_radius(-elastic_volume_of(x)));
        free[slot] = 1.0 - lacking_beyond(depth);
        pull[slot] = -lacking_slope(depth) * surface.xyz;
    }
    return COHESION[material] * lack(p) * volume * mat3(pull[0], pull[1], pull[2]) * (free.yzx * free.zxy);
}
#endif

void main() {
#ifdef TENSION
    uint p = invocation();
    if (p >= push.particle_count || status(STATUS_FAILED) != 0u) return;
    vec4 x = position(p), v = velocity(p);
    uvec4 self = identity(p);
    vec2 own = kernel_weight(p);
    float volume = abs(kernel_volume_of(own));
    uint material = material_index_of(self);
    vec3 force = by_matter(p, x.xyz, volume, material);
    if (elastic_volume_of(x) < 0.0) force += by_walls(p, x, volume, material);
    vec4 pull = vec4(push.dt * inverse_mass_of(v) * force, 0.0);
    velocity(p) = v + pull;
#ifdef MIXTURES
    pull += added_velocity(p);
#endif
    added_velocity(p) = pull;
#endif
}
