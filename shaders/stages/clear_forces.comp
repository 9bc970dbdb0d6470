// Initializes the force accumulators with the forces of links; before the first iteration, with the response to them. One invocation per
// particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "exact_sum.glsl"

layout(local_size_x = 64) in;

const bool multiplies = false;
vec3 end_velocity(uint p) { return velocity(p).xyz; }
#include "generated/constraint_forces.glsl"
#include "constraints/links/response.glsl"

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 begun = vec4(0.0);
    add_constraint_forces(p, uvec2(0u), begun);
#ifdef FIRST_LINKED
    uvec4 self = identity(p);
    if (push.phase == 0u && is_linked(id_of(self))) begun.xyz = response_to(p, uvec2(0u), begun.xyz);
#endif
    force(p) = vec4(begun.xyz, 0.0);
}
