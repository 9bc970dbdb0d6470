// Adds the velocity changes gathered by a Jacobi sweep or by the smoothing. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    velocity(p) += vec4(velocity_change(p).xyz, 0.0);
    velocity_change(p) = vec4(0.0);
}
