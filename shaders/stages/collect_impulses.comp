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
#ifdef SHEETS
        // Each triangle that touches a collider is one of the contacts of its first corner.
        for (uint at = meeting_first(p); at != NOTHING; at = meeting_next(at)) {
            uvec4 members = meeting(at >> 2);
            if ((at & 3u) != 1u || (members.x & (MEETING_OBSTACLE | MEETING_EDGES)) != MEETING_OBSTACLE) continue;
            vec3 given = meeting_given(at >> 2).xyz;
#ifdef SPRINGS
            given += meeting_push(3u * (at >> 2) + 2u).xyz;
#endif
            collider_impulse(first / TILE * push.collider_count + (members.x & ~MEETING_OBSTACLE)) += vec4(given, 0.0);
        }
#endif
    }
}
