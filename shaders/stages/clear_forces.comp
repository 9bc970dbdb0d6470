// Initializes the force accumulators: with the forces of links if there are any, otherwise with zero. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "exact_sum.glsl"

layout(local_size_x = 64) in;

#ifdef FIRST_LINKED
vec3 end_velocity(uint p) { return velocity(p).xyz; }
bool multiplies() { return false; }
#include "link_force.glsl"
#endif

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 begun = vec4(0.0);
#ifdef FIRST_LINKED
    uvec4 self = identity(p);
    begun = link_force(id_of(self));
#endif
    force(p) = begun;
}
