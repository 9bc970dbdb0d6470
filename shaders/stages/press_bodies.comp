// Sums, over a tile of particles, what a rigid body receives from its contacts with matter, and how much the matter resists a change of
// the body's motion (engine/solver/METHOD.md "Rigid bodies"). One invocation per tile and body.
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
#include "constraints/colliders/friction.glsl"
#include "constraints/colliders/adhesion.glsl"

#ifdef SHEETS
#include "constraints/sheets/listed.glsl"
#endif

layout(local_size_x = 64) in;

// Sums for a body: impulses and the sum of their sizes, moments and the number of contacts, and blocks of the resistance, from linear and
// angular velocity to impulse and moment.
struct Load {
    vec4 impulse, moment;
    mat3 linear, mixed, angular;
};

// Adds the impulse of a contact at `arm` from the center.
void receive(inout Load load, vec3 impulse, vec3 arm) {
    load.impulse += vec4(impulse, length(impulse));
    load.moment += vec4(cross(arm, impulse), 1.0);
}

// Adds the resistance of a point at `arm` from the center in the direction n.
void add_direction(inout Load load, float size, vec3 n, vec3 arm) {
    vec3 turned = cross(arm, n);
    load.linear += size * outerProduct(n, n);
    load.mixed += size * outerProduct(n, turned);
    load.angular += size * outerProduct(turned, turned);
}

// Adds the resistance of a contact with the normal n: in all directions if it sticks.
void add_resistance(inout Load load, float size, vec3 n, vec3 arm, bool sticks) {
    if (!sticks) add_direction(load, size, n, arm);
    else for (uint axis = 0u; axis < 3u; ++axis) add_direction(load, size, mat3(1.0)[axis], arm);
}

// Returns how much p resists a change of its velocity at once [kg].
float resistance(uint p, float mass) {
#ifdef BLOCKS
    return max(mass, block_trace_of(preconditioner_diagonal(p)) / 3.0);
#else
    return mass;
#endif
}

// Adds the contact of p in `slot` with the face `at`.
void add(inout Load load, uint p, uint slot, uint at, vec3 center) {
    vec4 v = velocity(p);
    float mass = 1.0 / inverse_mass_of(v);
    vec3 x = position(p).xyz, arm = x - center, change = contact(p * CONTACT_SLOTS + slot).xyz;
    vec3 impulse = -mass * change;
    receive(load, impulse, arm);
    look_near(p, slot);
    vec3 n = collider_distance(at, looked_at_from(x, v.xyz)).xyz;
    float pressed = dot(change, n), pull = pull_of(p, slot, at);
    if (pressed <= -pull || change == vec3(0.0)) return;
    vec4 head = collider(at);
    bool sticks = length(change - pressed * n) < SLIPPING * friction_for(p, head.y) * (pressed + pull);
    add_resistance(load, resistance(p, mass), n, arm, sticks);
}

#ifdef SHEETS
// Adds the contact of a triangle of cloth, if it is with one of the faces from `first` to `end`.
void add_triangle(inout Load load, uint contact, uint first, uint end, vec3 center) {
    bool edges;
    uvec4 members = members_of(contact, edges);
    uint face = members.x & ~MEETING_OBSTACLE;
    if (!on_obstacle(members) || face < first || face >= end) return;
    vec3 arm = position(members.y).xyz + meeting_spot(2u * contact).xyz - center;
    vec3 given = meeting_given(contact).xyz;
    if (given != vec3(0.0)) receive(load, given, arm);
#ifdef SPRINGS
    vec4 spring = meeting_push(3u * contact + 1u), impulse = meeting_push(3u * contact + 2u);
    if (push.color == PRESS_SPRINGS && (spring.w > 0.0 || impulse.w > 0.0)) receive(load, impulse.xyz, arm);
#ifdef BLOCKS
    add_resistance(load, impulse.w, spring.xyz, arm, true);
    add_direction(load, spring.w - impulse.w, spring.xyz, arm);
    return;
#endif
#endif
    if (given == vec3(0.0)) return;
    Members start = starts_at(contact, members), v = motions_at(contact, members);
    Approach found;
    approaches(false, start, moved_by(start, v, push.dt), found);
    float response = response_of(found.weights, inverse_masses_of(members)), pressed = dot(given, found.normal);
    float friction = meeting_friction_of(meeting_numbers(contact));
    bool sticks = length(given - pressed * found.normal) < SLIPPING * friction * pressed;
    if (response > 0.0) add_resistance(load, 1.0 / response, found.normal, arm, sticks);
}
#endif

void main() {
    uint tiles = (push.particle_count + TILE - 1u) / TILE;
    uint body = invocation() / tiles, tile = invocation() % tiles;
    if (body >= push.rigid_count || status(STATUS_FAILED) != 0u) return;
    Load load = Load(vec4(0.0), vec4(0.0), mat3(0.0), mat3(0.0), mat3(0.0));
    vec4 word = rigid(body * RIGID_WORDS), next = rigid(body * RIGID_WORDS + 1u);
    uint first = uint(word.w), end = uint(next.w);
    for (uint p = tile * TILE; p < min((tile + 1u) * TILE, push.particle_count); ++p) {
        uint slot = 0u;
        for (uint touched = touched_by(p); touched != 0u; ++slot, touched >>= 8) {
            uint face = (touched & 0xffu) - 1u;
            if (face >= first && face < end) add(load, p, slot, face_at(touched), word.xyz);
        }
#ifdef SHEETS
        for (uint at = meeting_first(p); at != NOTHING; at = meeting_next(at)) {
            if ((at & 3u) == 1u) add_triangle(load, at >> 2, first, end, word.xyz);
        }
#endif
    }
    uint at = (body * tiles + tile) * LOAD_WORDS;
    rigid_partial(at) = load.impulse;
    rigid_partial(at + 1u) = load.moment;
    for (uint i = 0u; i < 3u; ++i) {
        rigid_partial(at + 2u + i) = vec4(load.linear[i], 0.0);
        rigid_partial(at + 5u + i) = vec4(load.mixed[i], 0.0);
        rigid_partial(at + 8u + i) = vec4(load.angular[i], 0.0);
    }
}
