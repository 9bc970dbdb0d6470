// Keeps what internal forces did in the Newton solve, for the guess of the next substep, and takes all candidates of the
// position correction for its first round's crowd. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "neighborhood.glsl"
#include "guess.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 v = velocity(p);
    uvec4 self = identity(p);
    uint body = self.z;
    vec3 fall = push.dt * vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    vec3 change = v.xyz - guess_base(body, velocity_start(p).xyz, fall) - fall;
    uint slot = p * CONTACT_SLOTS;
    for (uint touched = touching(p); touched != 0u; touched >>= 8) change -= contact(slot++).xyz;
    // A solve that failed leaves no guess.
    bool usable = v.w > 0.0 && dot(change, change) < 1e30;
    committed_internal_acceleration(p) = vec4(usable ? change / push.dt : vec3(0.0), 0.0);
    uvec2 range = neighbor_range(p);
    correction_impulse(p) = vec4(vec3(0.0), float(near_end(range) - range.x));
}
