// Unilateral contact with Coulomb friction against analytic colliders. The impulse of a contact is
// accumulated over the substep, so that friction is bounded by the whole normal impulse and a push that
// was too strong is taken back. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "colliders.glsl"
#include "contact.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uint touched = touching(p);
    if (touched == 0u) return;
    vec4 v = velocity(p);
    vec3 x = position(p).xyz;
    vec4 remembered = memory(p);
    float radius = contact_radius(remembered.w);
    for (uint slot = 0u; touched != 0u; ++slot, touched >>= 8) {
        uint at = push.first_collider + ((touched & 0xffu) - 1u) * COLLIDER_WORDS;
        vec3 target = x + push.dt * v.xyz;
        vec4 surface = collider_distance(at, target);
        vec3 n = surface.xyz;
        vec3 j = contact(p * CONTACT_SLOTS + slot).xyz;
        float along = dot(j, n);
        float pressed = max(0.0, along - (surface.w - radius) / push.dt);
        vec3 slip = v.xyz - collider_velocity(at, target);
        vec3 tangential = (j - along * n) - (slip - dot(slip, n) * n);
        vec4 head = collider(at);
        float friction = head.y;
        float size = length(tangential);
        float bound = friction < 0.0 ? (pressed > 0.0 ? size : 0.0) : friction * pressed;
        if (size > bound) tangential *= bound / size;
        vec3 next = pressed * n + tangential;
        v.xyz += next - j;
        contact(p * CONTACT_SLOTS + slot) = vec4(next, 0.0);
    }
    velocity(p) = v;
}
