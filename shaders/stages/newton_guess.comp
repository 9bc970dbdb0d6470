// Sets the initial velocities of the Newton solve: those at the start, changed by gravity and by the internal forces of the last
// substep, after contact. One invocation per particle.
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
#include "guess.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 v = velocity(p);
    if (inverse_mass_of(v) == 0.0) return;
    vec4 acceleration = internal_acceleration(p);
    uvec4 self = identity(p);
    uint body = body_of(self);
    vec3 fall = push.dt * vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    vec3 base = guess_base(body, velocity_start(p).xyz, fall);
    vec3 guessed = base + fall + push.dt * acceleration.xyz;
    // What rests on springs moves by their give, in a step of any length.
    float springs = near_springs_of(acceleration);
    if (springs > 0.0) guessed = base + (guessed - base) / (1.0 + springs * push.dt * push.dt);
    // Faces share the load of a particle in their corner; taken one after the other they find the shares gradually.
    uint rounds = touched_by(p) > 0xffu ? CORNER_ROUNDS : 1u;
    for (uint i = 0u; i < rounds; ++i) guessed = collide(p, position(p).xyz, guessed);
    v.xyz = guessed;
    velocity(p) = v;
}
