// Velocities that the Newton solve begins with: the predicted ones, changed as internal forces changed them in the last substep,
// after contact. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "colliders.glsl"
#include "collide.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 v = velocity(p);
    if (v.w == 0.0) return;
    vec4 acceleration = internal_acceleration(p);
    v.xyz = collide(p, position(p).xyz, v.xyz + push.dt * acceleration.xyz);
    velocity(p) = v;
}
