// Solves unilateral contact with Coulomb friction against colliders. The impulse of a contact is accumulated over the
// substep, so that friction is bounded by the total normal impulse and a push that was too strong is taken back. After a Newton solve a
// part of an impulse on metal takes effect after the substep. One invocation per particle.
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
#include "constraints/colliders/defer.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 9) const bool DEFERS = false; // metal follows a part of impulses after the substep

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    if (touching(p) == 0u) return;
    vec4 v = velocity(p);
    if (DEFERS && push.phase == NEWTON_CLOSE) {
        vec4 own = deferred(p);
        vec3 later = own.xyz;
        collide_deferring(p, v, later);
        deferred(p) = vec4(later, crowd_of(own));
    } else {
        v.xyz = collide(p, position(p).xyz, v.xyz);
    }
    velocity(p) = v;
}
