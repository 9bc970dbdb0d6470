// Solves unilateral contact with Coulomb friction against colliders. The impulse of a contact is accumulated over the
// substep, so that friction is bounded by the total normal impulse and a push that was too strong is taken back. One invocation per
// particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#define NEAR // contacts keep triangles of meshes
#include "constraints/colliders/distance.glsl"
#include "constraints/colliders/contact_radius.glsl"
#include "constraints/colliders/touched.glsl"
#include "constraints/colliders/adhesion.glsl"
#include "constraints/colliders/row.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    if (touching(p) == 0u) return;
    vec4 v = velocity(p);
    velocity(p) = vec4(collide(p, position(p).xyz, v.xyz), inverse_mass_of(v));
}
