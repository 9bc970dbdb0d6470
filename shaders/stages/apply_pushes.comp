// Ends a round of the position correction after a Newton solve: applies its velocity changes, then the colliders. In stiff matter the
// larger part of a change takes effect after the substep: it acts on single particles and would strain the matter by more than it has
// energy for. One invocation per particle.
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

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 change = velocity_change(p), v = velocity(p);
    vec3 later = deferred(p).xyz;
    if (change.xyz != vec3(0.0)) {
        vec3 now = followed(p, inverse_mass_of(v)) * change.xyz;
        v.xyz += now;
        later += change.xyz - now;
    }
#ifndef SHEETS // contacts with these come first
    if (touching(p) != 0u) collide_deferring(p, v, later);
#endif
    velocity(p) = v;
    deferred(p) = vec4(later, crowd_of(change));
}
