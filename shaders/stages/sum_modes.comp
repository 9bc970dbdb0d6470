// Sums, over a tile of particles, for the rigid modes of a stiff body in a Newton solve: its mass and center (MODE_CENTER), its inertia
// about the center (MODE_INERTIA), or the forces and moments on it and the number of its particles that a contact or a pin blocks
// (MODE_RESIDUAL). One invocation per tile and body.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#ifndef MODES
#define MODES 0u
#endif

layout(local_size_x = 64) in;

void main() {
    uint tiles = (push.particle_count + TILE - 1u) / TILE;
    uint number = invocation() / tiles, tile = invocation() % tiles;
    uvec4 groups = arguments(ARGUMENTS_ITERATE);
    if (number >= MODES || groups.x == 0u || status(STATUS_FAILED) != 0u) return;
    vec3 center = push.color == MODE_CENTER ? vec3(0.0) : rigid_mode(number * MODE_WORDS + MODE_CENTER).xyz;
    bool multiplies = newton(NEWTON_MODE) == NEWTON_MULTIPLY;
    vec4 first = vec4(0.0), second = vec4(0.0);
    for (uint p = tile * TILE; p < min((tile + 1u) * TILE, push.particle_count); ++p) {
        uvec4 self = identity(p);
        if (body_mode(body_of(self)) != number) continue;
        vec4 v = velocity(p);
        float mass = inverse_mass_of(v) > 0.0 ? 1.0 / inverse_mass_of(v) : 0.0;
        vec3 arm = position(p).xyz - center;
        if (push.color == MODE_CENTER) {
            first += mass * vec4(arm, 1.0);
        } else if (push.color == MODE_INERTIA) {
            first.xyz += mass * (arm.yzx * arm.yzx + arm.zxy * arm.zxy);
            second.xyz -= mass * (arm.yxx * arm.zzy);
        } else {
            vec4 blocked = newton_blocked(p);
            vec3 force = multiplies ? balance(p).xyz : -newton_residual(p).xyz;
            first += vec4(force, blocked_count_of(blocked) > 0.0 ? 1.0 : 0.0);
            second.xyz += cross(arm, force);
        }
    }
    uint at = 2u * (number * tiles + tile);
    mode_partial(at) = first;
    mode_partial(at + 1u) = second;
}
