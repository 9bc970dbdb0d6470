// Velocities under external forces, prescribed velocities of pinned particles, contact candidates, and
// fresh multipliers. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "colliders.glsl"
#include "contact.glsl"
#include "generated/status.glsl"

layout(local_size_x = 64) in;

const uint PIN_WORDS = 5u; // center at t, center velocity, rows of the matrix from x - center to velocity

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 v = velocity(p);
    velocity_start(p) = v;
    vec3 x = position(p).xyz;
    uvec4 self = identity(p);
    uint pinned = self.w;
    if (pinned != 0xffffffffu) {
        uint at = push.first_pin + pinned * PIN_WORDS;
        vec3 to = x - pin(at).xyz;
        v.xyz = pin(at + 1u).xyz + vec3(dot(pin(at + 2u).xyz, to), dot(pin(at + 3u).xyz, to), dot(pin(at + 4u).xyz, to));
    } else {
        v.xyz += push.dt * vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    }
    velocity(p) = v;
    velocity_change(p) = vec4(0.0);
    impulse_x(p) = vec4(0.0);
    impulse_y(p) = vec4(0.0);
    impulse_z(p) = vec4(0.0);
    multiplier(p) = 0.0;
    correction_impulse(p) = vec4(0.0);

    vec4 remembered = memory(p);
    float reach = contact_radius(remembered.w) + 2.0 * push.dt * length(v.xyz) + 0.1 * push.kernel_radius;
    uint touched = 0u;
    uint slots = 0u;
    for (uint c = 0u; c < push.collider_count && v.w > 0.0; ++c) {
        if (collider_distance(push.first_collider + c * COLLIDER_WORDS, x).w < reach) {
            if (slots == CONTACT_SLOTS) {
                atomicAdd(status(COUNT_CONTACT_OVERFLOW), 1u);
                break;
            }
            touched |= (c + 1u) << (8u * slots);
            contact(p * CONTACT_SLOTS + slots) = vec4(0.0);
            ++slots;
        }
    }
    touching(p) = touched;
}
