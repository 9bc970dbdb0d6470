// Ends a round of the position correction after a Newton solve: applies its velocity changes, then the colliders. One invocation
// per particle.
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
    vec4 change = velocity_change(p);
    vec4 v = velocity(p) + vec4(change.xyz, 0.0);
#ifndef SHEETS // contacts with these come first
    if (touching(p) != 0u) v.xyz = collide(p, position(p).xyz, v.xyz);
#endif
    velocity(p) = v;
    correction_impulse(p) = vec4(vec3(0.0), crowd_of(change));
}
