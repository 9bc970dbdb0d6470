// Sums the squares of the force imbalance, of C + alpha~ lambda and of the momentum over tiles, in a fixed order. One invocation per
// tile of particles.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "external.glsl"
#include "linked.glsl"
#include "constraints/colliders/touched.glsl"

layout(local_size_x = 64) in;

void main() {
    uint first = invocation() * TILE;
    if (first >= push.particle_count || status(STATUS_FAILED) != 0u) return;
    vec3 kick = push.dt * vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    vec3 sum = vec3(0.0);
    for (uint p = first; p < min(first + TILE, push.particle_count); ++p) {
        vec4 v = velocity(p);
        vec4 f = force(p);
#ifdef FIRST_LINKED
        uvec4 self = identity(p);
        if (is_linked(id_of(self))) violation_of(f) = 0.0;
#endif
        sum.y += violation_of(f);
        if (inverse_mass_of(v) == 0.0) continue;
        vec3 gained = v.xyz - predicted(p, kick);
        uint slot = 0u;
        for (uint touched = touched_by(p); touched != 0u; touched >>= 8) gained -= contact(p * CONTACT_SLOTS + slot++).xyz;
        vec3 imbalance = gained / inverse_mass_of(v) - correction_impulse(p).xyz + f.xyz;
        sum.x += dot(imbalance, imbalance);
        sum.z += dot(v.xyz, v.xyz) / (inverse_mass_of(v) * inverse_mass_of(v));
    }
    partial(first / TILE) = vec4(sum, 0.0);
}
