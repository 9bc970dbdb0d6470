// Commits positions with the displacements that contact with sheets has changed. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 64) in;

#ifdef SHEETS
#include "exact_sum.glsl"

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec3 u = shift(2u * p).xyz, spread = shift(2u * p + 1u).xyz;
    if (length(u - spread) > SEPARATION_TOLERANCE * push.kernel_radius) atomicAdd(status(COUNT_OVERLAP_DISPLACED), 1u);
    vec3 lost;
    vec3 sum = exact_sum(position(p).xyz, position_low(p).xyz + (push.dt * velocity(p).xyz + u), lost);
    committed_position(p) = vec4(sum, 0.0);
    vec4 low = committed_position_low(p);
    committed_position_low(p) = vec4(lost, memory_bound_of(low));
}
#else
void main() {}
#endif
