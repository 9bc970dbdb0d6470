// Zeroes the force accumulators. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p < push.particle_count) force(p) = vec4(0.0);
}
