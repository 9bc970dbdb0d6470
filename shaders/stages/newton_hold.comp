// Lets contacts act on a move of a Newton solve once more, after the rigid bodies have responded to it. One invocation per particle.
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
#include "constraints/colliders/ease.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p >= push.particle_count || touching(p) == 0u) return;
    vec4 v = velocity(p);
    if (inverse_mass_of(v) == 0.0) return;
    vec3 held = collide(p, position(p).xyz, v.xyz, true, ease(p, inverse_mass_of(v)));
    uint act = newton(NEWTON_ACT);
    bool moves = act == NEWTON_BEGIN || act == NEWTON_ROUND || act == NEWTON_MOVE;
    if (moves) last_move(p) += vec4(held - v.xyz, 0.0);
    velocity(p) = vec4(held, inverse_mass_of(v));
}
