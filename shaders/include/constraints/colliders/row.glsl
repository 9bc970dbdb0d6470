// Contact of a particle with colliders.

#include "constraints/colliders/friction.glsl"

// Squared change of the normal between two points up to which a surface counts as a plane.
const float FLAT = 1e-12;

// Returns the velocity of p, at x, after its contacts, from its velocity v before them; accumulates the velocity change of each
// contact. A contact acts only against approach: it keeps the distance in its w, which is kept_free, or less if the particle
// was nearer at the start (overlap.glsl). Adhesion pulls as well, and friction counts the pull as pressure.
// `known`: friction is bounded by the load of the contact so far, as between evaluations of a Newton solve. Otherwise friction of an
// unloaded contact, into which the next move leads, would stop this move for good.
// `ease`: fraction of an impulse that changes the velocity of p at once. In a Newton solve the matter around p takes the rest, and the
// contact bears correspondingly more before it slips.
vec3 collide(uint p, vec3 x, vec3 v, bool known, float ease) {
    for (uint slot = 0u, touched = touched_by(p); touched != 0u; ++slot, touched >>= 8) {
        uint at = face_at(touched);
        look_near(p, slot);
        vec4 last = contact(p * CONTACT_SLOTS + slot);
        vec3 seen = looked_at_from(x, v);
        vec4 surface = collider_distance(at, seen);
        vec3 surface_velocity = collider_velocity(at, seen) + seen_drift / push.dt;
        vec3 n = surface.xyz;
        // A move too short to change a position in f32 still counts: it strains stiff matter by more than its weight does.
        vec4 start = collider_distance(at, x);
        vec3 turn = n - start.xyz;
        precise vec3 beyond = (x - seen) + push.dt * v;
        bool flat_between = dot(turn, turn) < FLAT;
        float distance = flat_between ? (start.w - gap_of(last)) + push.dt * dot(n, v) : (surface.w - gap_of(last)) + dot(n, beyond);
        vec3 j = last.xyz;
        float along = dot(j, n);
        float pull = pull_of(p, slot, at);
        float pressed = max(-pull, along - distance / (push.dt * ease));
        vec3 slip = v - surface_velocity;
        vec3 tangential = (j - along * n) - (slip - dot(slip, n) * n) / ease;
        vec4 head = collider(at);
        float size = length(tangential);
        float bound = friction_for(p, head.y) * max(0.0, pull + (known ? min(pressed, along) : pressed));
        if (size > bound) tangential *= bound / size;
        vec3 next = pressed * n + tangential;
        v += ease * (next - j);
        contact(p * CONTACT_SLOTS + slot) = vec4(next, gap_of(last));
    }
    return v;
}

vec3 collide(uint p, vec3 x, vec3 v) { return collide(p, x, v, false, 1.0); }
