// Adds up the sums of tiles for the rigid modes of a stiff body in a Newton solve, in a fixed order, and finds the motion with which the
// body follows what its particles lack: in a move of relaxation after subtraction of the shares of the last two moves, in conjugate
// gradients with their residual, which obeys the same recurrences in sum. A body with a blocked particle does not follow. One workgroup
// per body.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "newton.glsl"
#ifndef MODES
#define MODES 0u
#endif

layout(local_size_x = 64) in;

shared vec4 lane_first[64];
shared vec4 lane_second[64];

// Forces and moments on a body.
struct Wrench {
    vec3 force, moment;
};

Wrench stored(uint at) { return Wrench(rigid_mode(at).xyz, rigid_mode(at + 1u).xyz); }

void store(uint at, Wrench wrench) {
    rigid_mode(at) = vec4(wrench.force, 0.0);
    rigid_mode(at + 1u) = vec4(wrench.moment, 0.0);
}

Wrench plus(Wrench a, float factor, Wrench b) { return Wrench(a.force + factor * b.force, a.moment + factor * b.moment); }

// Returns what a move of relaxation lets the body follow.
Wrench relaxed(uint at, Wrench now) {
    uint known = newton(NEWTON_KNOWN);
    Wrench left = now;
    if (known > 0u) {
        Wrench effect = plus(now, -1.0, stored(at + MODE_IMBALANCE));
        left = plus(left, -newton_number(NEWTON_LAST_SHARE), effect);
        if (known > 1u) left = plus(left, -newton_number(NEWTON_OLDER_SHARE), stored(at + MODE_EFFECT));
        store(at + MODE_EFFECT, effect);
    }
    store(at + MODE_IMBALANCE, now);
    return Wrench(-left.force, -left.moment);
}

// Returns the residual of conjugate gradients; `now`: the imbalance from which they begin, or the last product.
Wrench residual(uint at, Wrench now, bool begins) {
    if (begins) {
        store(at + MODE_PRODUCT, Wrench(vec3(0.0), vec3(0.0)));
        return Wrench(-now.force, -now.moment);
    }
    Wrench product = plus(now, newton_number(NEWTON_BETA), stored(at + MODE_PRODUCT));
    store(at + MODE_PRODUCT, product);
    return plus(stored(at + MODE_RESIDUAL), -newton_number(NEWTON_ALPHA), product);
}

void move(uint at, vec4 first, vec4 second) {
    uint act = newton(NEWTON_ACT);
    bool moves = act == NEWTON_BEGIN || act == NEWTON_ROUND || act == NEWTON_MOVE;
    Wrench now = Wrench(first.xyz, second.xyz), follows = Wrench(vec3(0.0), vec3(0.0));
    if (moves) {
        follows = relaxed(at, now);
    } else if (act == NEWTON_RESUME || act == NEWTON_STEP) {
        follows = residual(at, now, act == NEWTON_RESUME);
        store(at + MODE_RESIDUAL, follows);
    }
    vec4 center = rigid_mode(at + MODE_CENTER);
    float mass = center.w;
    float free = first.w == 0.0 && mass > 0.0 ? 1.0 : 0.0;
    mat3 inverse_inertia = mat3(rigid_mode(at + MODE_INERTIA).xyz, rigid_mode(at + MODE_INERTIA + 1u).xyz, rigid_mode(at + MODE_INERTIA + 2u).xyz);
    store(at + MODE_MOTION, Wrench(free / max(mass, 1e-37) * follows.force, free * (inverse_inertia * follows.moment)));
}

void main() {
    uvec4 groups = arguments(ARGUMENTS_ITERATE);
    if (groups.x == 0u) return;
    uint tiles = (push.particle_count + TILE - 1u) / TILE;
    uint number = workgroup(), lane = gl_LocalInvocationIndex;
    vec4 first = vec4(0.0), second = vec4(0.0);
    for (uint tile = lane; number < MODES && tile < tiles; tile += 64u) {
        first += mode_partial(2u * (number * tiles + tile));
        second += mode_partial(2u * (number * tiles + tile) + 1u);
    }
    lane_first[lane] = first;
    lane_second[lane] = second;
    for (uint span = 32u; span > 0u; span /= 2u) {
        barrier();
        if (lane >= span) continue;
        lane_first[lane] += lane_first[lane + span];
        lane_second[lane] += lane_second[lane + span];
    }
    if (lane != 0u || number >= MODES) return;
    first = lane_first[0];
    second = lane_second[0];
    uint at = number * MODE_WORDS;
    if (push.color == MODE_CENTER) {
        rigid_mode(at + MODE_CENTER) = vec4(first.xyz / max(first.w, 1e-37), first.w);
    } else if (push.color == MODE_INERTIA) {
        vec4 center = rigid_mode(at + MODE_CENTER);
        vec3 diagonal = first.xyz + max(LEAST_GYRATION * push.kernel_radius * push.kernel_radius * center.w, 1e-37);
        mat3 inertia = mat3(diagonal.x, second.z, second.y, second.z, diagonal.y, second.x, second.y, second.x, diagonal.z);
        // The determinant of a small body would underflow.
        float size = diagonal.x + diagonal.y + diagonal.z;
        mat3 inverted = inverse(inertia / size) / size;
        for (uint axis = 0u; axis < 3u; ++axis) rigid_mode(at + MODE_INERTIA + axis) = vec4(inverted[axis], 0.0);
    } else {
        move(at, first, second);
    }
}
