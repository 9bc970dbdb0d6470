// Adds the impulses of a substep to the totals that each tile keeps per collider face over a frame. One invocation per tile of
// particles.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "constraints/colliders/touched.glsl"

layout(local_size_x = 64) in;

void main() {
    uint first = invocation() * TILE;
    if (first >= push.particle_count || status(STATUS_FAILED) != 0u) return;
    for (uint p = first; p < min(first + TILE, push.particle_count); ++p) {
        uint slot = 0u;
        vec4 v = velocity(p);
        for (uint touched = touched_by(p); touched != 0u; touched >>= 8) {
            // The collider receives the opposite of the impulse that it gives.
            vec3 given = contact(p * CONTACT_SLOTS + slot++).xyz / inverse_mass_of(v);
            collider_impulse(first / TILE * push.collider_count + (touched & 0xffu) - 1u) -= vec4(given, 0.0);
        }
    }
}
