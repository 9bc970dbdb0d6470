// Sums a Newton pass over tiles, in a fixed order. After an evaluation of the forces: sets the reactions of the colliders within
// their friction cones and the directions that they block, and sums the squares of the remaining imbalance; after a move of
// relaxation, also the products of the effects of the last two moves on the imbalance; at the first evaluations, also the terms of
// the scale of the imbalance. After a product: the sums that conjugate gradients need. SHARERS invocations per tile of particles.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "external.glsl"
#define NEAR // contacts keep triangles of meshes
#include "constraints/colliders/distance.glsl"
#include "constraints/colliders/contact_radius.glsl"
#include "constraints/colliders/touched.glsl"
#include "constraints/colliders/friction.glsl"
#include "constraints/colliders/adhesion.glsl"
#include "newton.glsl"
#include "linked.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint SHARERS = 1u; // invocations that share a tile: 1, or a whole workgroup

shared vec4 shared_sum[64];
shared vec4 shared_more[64];

// Adds a blocked direction. With two, the direction that remains free is stored.
void block(inout vec4 blocked, vec3 n) {
    vec3 rest = unblocked(blocked, n);
    float size = length(rest);
    if (size <= 1e-3) return;
    if (blocked_count_of(blocked) == 0.0) blocked = vec4(n, 1.0);
    else if (blocked_count_of(blocked) == 1.0) blocked = vec4(normalize(cross(blocked.xyz, rest)), 2.0);
    else blocked_count_of(blocked) = 3.0;
}

// Sets what each bearing face (one bit each) takes of `needed`, the velocity change that the forces require, one after the other;
// returns the blocked directions. Where faces may jam, friction is no more than stops the slip: more would press on the other face, and
// that again on this one.
vec4 share_out(uint p, vec3 needed, vec3 v, vec3 target, uint bearing, bool jams) {
    float fall = push.dt * length(vec3(push.gravity_x, push.gravity_y, push.gravity_z));
    float radius = push.kernel_radius / push.dt;
    float resting = clamp(RESTING * fall, RESTING_MIN * radius, RESTING_MAX * radius);
    vec3 sum = vec3(0.0);
    uint slot = 0u;
    for (uint touched = touched_by(p); touched != 0u; touched >>= 8) sum += contact(p * CONTACT_SLOTS + slot++).xyz;
    vec4 blocked = vec4(0.0);
    slot = p * CONTACT_SLOTS;
    for (uint touched = touched_by(p); touched != 0u; ++slot, touched >>= 8, bearing >>= 1) {
        if ((bearing & 1u) == 0u) continue;
        uint at = face_at(touched);
        look_near(p, slot - p * CONTACT_SLOTS);
        vec4 last = contact(slot);
        vec3 old = last.xyz;
        vec3 n = collider_distance(at, target).xyz;
        float pull = pull_of(p, slot - p * CONTACT_SLOTS, at);
        vec3 share = needed - (sum - old);
        float pressed = max(-pull, dot(share, n));
        vec3 tangential = share - dot(share, n) * n;
        vec3 slip = v - collider_velocity(at, target) - seen_drift / push.dt;
        slip -= dot(slip, n) * n;
        vec4 head = collider(at);
        float bound = friction_for(p, head.y) * (pressed + pull);
        float size = length(tangential);
        bool sticks = false;
        if (length(slip) < resting) {
            sticks = size <= bound;
            if (!sticks) tangential *= bound / size;
        } else {
            if (jams) bound = min(bound, size + length(slip));
            tangential = -bound / length(slip) * slip;
        }
        vec3 next = pressed * n + tangential;
        contact(slot) = vec4(next, gap_of(last));
        sum += next - old;
        if (pressed <= -pull) continue;
        if (sticks) blocked_count_of(blocked) = 3.0;
        else block(blocked, n);
    }
    return blocked;
}

// Returns true if friction on one of two faces (normal, friction) can press on the other, in an acute wedge, so much that the load which
// this adds to the first is larger than the load that caused it.
bool may_jam(vec4 one, vec4 other) {
    float across = min(0.0, dot(one.xyz, other.xyz));
    return -across * sqrt(max(0.0, 1.0 - across * across)) * max(one.w, other.w) > 1.0;
}

// Sets the contacts of p to the reactions that balance `needed`, and returns the blocked directions. What jammed faces bear in excess would
// grow from pass to pass, and throw the particle out of the wedge when one lets go: there the shares are found in rounds that begin
// without any.
vec4 react(uint p, vec3 needed, vec3 v) {
    vec3 target = looked_at_from(position(p).xyz, v);
    uint slot = p * CONTACT_SLOTS, bearing = 0u, bit = 1u;
    vec4 last_face = vec4(0.0), face_before = vec4(0.0);
    bool jams = false;
    for (uint touched = touched_by(p); touched != 0u; ++slot, touched >>= 8, bit <<= 1) {
        uint at = face_at(touched);
        look_near(p, slot - p * CONTACT_SLOTS);
        vec3 n = collider_distance(at, target).xyz;
        float pull = pull_of(p, slot - p * CONTACT_SLOTS, at);
        // Nothing is borne beyond the push of a fluid's pressure where the particle does not touch the wall.
        if (pull <= 0.0 && dot(contact(slot).xyz, n) <= -pull) continue;
        bearing |= bit;
        vec4 head = collider(at);
        vec4 face = vec4(n, friction_for(p, head.y));
        jams = jams || may_jam(face, last_face) || may_jam(face, face_before);
        face_before = last_face;
        last_face = face;
    }
    uint rounds = 1u;
    if (jams) {
        rounds = CORNER_ROUNDS;
        slot = p * CONTACT_SLOTS;
        for (uint left = bearing; left != 0u; ++slot, left >>= 1) {
            vec4 last = contact(slot);
            if ((left & 1u) != 0u) contact(slot) = vec4(vec3(0.0), gap_of(last));
        }
    }
    vec4 blocked = vec4(0.0);
    for (; rounds > 0u; --rounds) blocked = share_out(p, needed, v, target, bearing, jams);
    return blocked;
}

// Sets the imbalance of p and returns its square; `first`: at the guess.
float imbalance(uint p, vec3 kick, bool first) {
    vec4 v = velocity(p);
    if (inverse_mass_of(v) == 0.0) {
        newton_blocked(p) = vec4(vec3(0.0), 3.0);
        newton_residual(p) = vec4(0.0);
        return 0.0;
    }
    vec4 f = balance(p);
    vec3 needed = v.xyz - predicted(p, kick) + inverse_mass_of(v) * f.xyz;
    vec4 blocked = react(p, needed, v.xyz);
    uint slot = 0u;
    for (uint touched = touched_by(p); touched != 0u; touched >>= 8) needed -= contact(p * CONTACT_SLOTS + slot++).xyz;
    vec3 left = unblocked(blocked, needed) / inverse_mass_of(v);
    newton_blocked(p) = blocked;
    vec4 last = newton_residual(p);
    newton_residual(p) = vec4(-left, first ? length(left) : guess_imbalance_of(last));
    return dot(left, left);
}

// Replaces the imbalance before the last move with the effect of the move on it, and adds the products of the effects.
void take_difference(uint p, bool older, inout vec4 a, inout vec4 b) {
    vec4 v = velocity(p);
    if (inverse_mass_of(v) == 0.0) return;
    vec3 now = -newton_residual(p).xyz;
    vec3 last = now - last_effect(p).xyz;
    last_effect(p) = vec4(last, 0.0);
    a.yz += vec2(dot(last, last), dot(last, now));
    if (!older) return;
    vec3 before = newton_older(p).xyz;
    b.xyz += vec3(dot(last, before), dot(before, before), dot(before, now));
}

// Returns the squares of four impulses [N s]: the change of the imbalance if the velocity of p changes by its own magnitude; the
// impulse whose strain energy in the matter around p equals the change of the kinetic energy of p by contact; the momentum of p, with its
// speed capped; and that momentum which is at stake: what p has at the predicted velocity, and what it gains if it follows the imbalance.
vec4 scales(uint p, vec3 kick) {
    vec4 v = velocity(p);
    if (inverse_mass_of(v) == 0.0) return vec4(0.0);
    vec4 f = balance(p), imbalance = newton_residual(p);
    float stiffness = block_trace_of(f) / 3.0 + 1.0 / inverse_mass_of(v);
    vec3 gained = v.xyz - predicted(p, kick);
    float square = dot(v.xyz, v.xyz);
    float slow = min(square, NOISE_SPEED_CAP * NOISE_SPEED_CAP * dot(kick, kick));
    vec3 had = predicted(p, kick), follows = imbalance.xyz / stiffness;
    float mass = 1.0 / inverse_mass_of(v);
    float stake = dot(had, had) + dot(follows, follows);
    return vec4(stiffness * stiffness * square, stiffness * mass * dot(gained, gained), mass * mass * vec2(slow, stake));
}

// Returns true if p lets the momenta at stake bound the scale: matter as stiff as metal, and where bodies have rigid modes only if a
// collider blocks it.
bool bounds_scale(uint p) {
    vec4 v = velocity(p), f = balance(p);
    uvec4 self = identity(p);
    bool stiff = inverse_mass_of(v) > 0.0 && !is_linked(id_of(self)) && inverse_mass_of(v) * block_trace_of(f) / 3.0 + 1.0 > BOUND_FROM;
#ifdef MODES
    vec4 blocked = newton_blocked(p);
    stiff = stiff && blocked_count_of(blocked) > 0.0;
#endif
    return stiff;
}

// Adds the sums over the particles [first, last).
void add(uint first, uint last, inout vec4 a, inout vec4 b) {
    uint mode = newton(NEWTON_MODE);
    if (mode != NEWTON_MULTIPLY) {
        vec3 kick = push.dt * vec3(push.gravity_x, push.gravity_y, push.gravity_z);
        bool older = newton(NEWTON_KNOWN) > 0u;
        for (uint p = first; p < last; ++p) {
            a.x += imbalance(p, kick, mode == NEWTON_FIRST);
            if (mode == NEWTON_RELAX) take_difference(p, older, a, b);
            if (begins(mode)) {
                vec4 own = scales(p, kick);
                a.yzw += own.xyz;
                b.zw += vec2(bounds_scale(p) ? 1.0 : 0.0, own.w);
            }
        }
        return;
    }
    for (uint p = first; p < last; ++p) {
        vec4 u = operand(p);
        if (inverse_mass_of(u) == 0.0) continue;
        vec4 f = balance(p);
        vec3 w = unblocked(newton_blocked(p), u.xyz / inverse_mass_of(u) + f.xyz);
        vec3 r = newton_residual(p).xyz;
        vec3 s = newton_product(p).xyz;
        balance(p) = vec4(w, 0.0);
        a += vec4(dot(r, u.xyz), dot(w, u.xyz), dot(r, r), dot(r, w));
        b += vec4(dot(w, w), dot(r, s), dot(w, s), dot(s, s));
    }
}

void main() {
    uint tile = invocation() / SHARERS;
    uint lane = gl_LocalInvocationIndex;
    uint begin = tile * TILE + lane % SHARERS * (TILE / SHARERS);
    bool live = begin < push.particle_count && status(STATUS_FAILED) == 0u;
    vec4 a = vec4(0.0), b = vec4(0.0);
    if (live) add(begin, min(begin + TILE / SHARERS, push.particle_count), a, b);
    if (SHARERS > 1u) {
        shared_sum[lane] = a;
        shared_more[lane] = b;
        for (uint step = SHARERS / 2u; step > 0u; step /= 2u) {
            barrier();
            if (lane >= step) continue;
            shared_sum[lane] += shared_sum[lane + step];
            shared_more[lane] += shared_more[lane + step];
        }
        a = shared_sum[lane];
        b = shared_more[lane];
        live = live && lane == 0u;
    }
    if (!live) return;
    partial(2u * tile) = a;
    partial(2u * tile + 1u) = b;
}
