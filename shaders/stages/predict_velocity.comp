// Predicts velocities under external forces, sets those of pinned particles, finds contact candidates, and resets the multipliers.
// One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#define NEAR // contacts keep triangles of meshes
#include "constraints/colliders/distance.glsl"
#include "constraints/colliders/contact_radius.glsl"
#ifdef MESHES
#include "constraints/colliders/keep_near.glsl"
#endif
#include "guess.glsl"

layout(local_size_x = 64) in;

// Returns the distance [m] between the point x and collider `at`, both at the start of the substep: equal to the distance, at the
// end, of the point to which the collider would carry x.
float distance_at_start(uint at, vec3 x) {
    return collider_distance(at, carried(at, x, FAR)).w;
}

// Returns true if a particle at x can touch the collider, which is `distance` away at the end of the substep. Where a patch of a mesh
// ends, the particle touches what is beyond, unless it is just behind two patches; and it touches the side of a sheet over which it lies
// at the start.
bool can_touch(uint at, vec3 x, float distance, float radius) {
#ifdef MESHES
    vec4 center = collider(at + 2u);
    uint sheet = uint(center.w);
    if (sheet == 0u) return !seen_at_cut || (distance < 0.0 && distance > -CUT_DEPTH * radius);
    float before = distance_at_start(at, x);
    return !seen_at_cut && (sheet == SHEET_FRONT ? before >= 0.0 : before > 0.0);
#else
    return true;
#endif
}

// Returns true if two faces are one surface where they are seen from a particle, with this velocity between them: pieces of a collider
// overlap.
bool coincide(vec4 surface, vec4 other, vec3 slip) {
    vec3 turn = surface.xyz - other.xyz;
    float near = SEPARATION_TOLERANCE * push.kernel_radius;
    return abs(surface.w - other.w) < near && dot(turn, turn) < PARALLEL && push.dt * length(slip) < near;
}

// Counts 19 for a particle that moves and -1 for one that is slow: a body rests if at most a twentieth of its particles move.
void count_awake(uint body, bool slow) {
    uint count = slow ? 0xffffffffu : 19u; // -1
    if (subgroupMin(body) != subgroupMax(body)) {
        atomicAdd(awake(body), count);
        return;
    }
    uint sum = subgroupAdd(count);
    if (subgroupElect()) atomicAdd(awake(body), sum);
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 v = velocity(p);
    velocity_start(p) = v;
    vec3 x = position(p).xyz;
    uvec4 self = identity(p);
    vec3 fall = push.dt * vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    uint pinned = pin_of(self);
    if (pinned != 0xffffffffu) {
        // Center at t, its velocity, rows of the matrix from x - center to velocity.
        uint at = push.first_pin + pinned * PIN_WORDS;
        vec3 to = x - pin(at).xyz;
        v.xyz = pin(at + 1u).xyz + vec3(dot(pin(at + 2u).xyz, to), dot(pin(at + 3u).xyz, to), dot(pin(at + 4u).xyz, to));
    } else {
        count_awake(body_of(self), is_slow(v.xyz, fall));
        v.xyz += fall;
    }
    velocity(p) = v;
    velocity_change(p) = vec4(0.0);
    impulse_x(p) = vec4(0.0);
    impulse_y(p) = vec4(0.0);
    impulse_z(p) = vec4(0.0);
    multiplier(p) = 0.0;
    correction_impulse(p) = vec4(0.0);

    vec4 remembered = memory(p);
    float radius = contact_radius(rest_volume_of(remembered));
    float reach = 2.0 * push.dt * length(v.xyz) + 0.1 * push.kernel_radius;
    vec4 start = position(p);
    // The density of a fluid counts what lies beyond walls within its kernel.
    if (elastic_volume_of(start) < 0.0) reach = max(reach, 2.0 * push.kernel_radius - radius);
    uint kept[CONTACT_SLOTS] = uint[CONTACT_SLOTS](0u, 0u, 0u);
    float distances[CONTACT_SLOTS] = float[CONTACT_SLOTS](0.0, 0.0, 0.0);
#ifdef CUTS
    vec4 seen[CONTACT_SLOTS];
#endif
    uint slots = 0u;
    bool overflow = false;
    for (uint c = 0u; c < push.collider_count && inverse_mass_of(v) > 0.0; ++c) {
        uint at = push.first_collider + c * COLLIDER_WORDS;
        float carried = push.dt * length(collider_velocity(at, x)) + largest_drift(at);
        vec4 word = collider(at + 5u);
        // An adhesive surface may leave with the particle.
        float near = kept_free(at, radius) + reach + (word.w > 0.0 ? carried : 0.0);
        float limit = near + push.kernel_radius + carried;
        vec4 surface = collider_distance(at, x, limit);
        float distance = surface.w;
        if (distance >= near || !can_touch(at, x, distance, radius)) continue;
#ifdef CUTS
        bool known = false;
        for (uint i = 0u; i < slots; ++i) {
            uint other = push.first_collider + (kept[i] - 1u) * COLLIDER_WORDS;
            known = known || coincide(surface, seen[i], collider_velocity(at, x) - collider_velocity(other, x));
        }
        if (known) continue;
#endif
        uint slot = slots;
        if (slots == CONTACT_SLOTS) {
            // The nearest are kept: a nearer one replaces the farthest.
            overflow = true;
            slot = 0u;
            for (uint i = 1u; i < CONTACT_SLOTS; ++i) slot = distances[i] > distances[slot] ? i : slot;
            if (distance >= distances[slot]) continue;
        } else {
            ++slots;
        }
        distances[slot] = distance;
#ifdef CUTS
        seen[slot] = surface;
#endif
        kept[slot] = c + 1u;
    }
    if (overflow) atomicAdd(status(COUNT_CONTACT_OVERFLOW), 1u);
    uint touched = 0u;
    for (uint i = 0u; i < slots; ++i) {
        touched |= kept[i] << (8u * i);
        uint at = push.first_collider + (kept[i] - 1u) * COLLIDER_WORDS;
        float distance = distance_at_start(at, x), room = kept_free(at, radius);
        vec4 word = collider(at + 5u);
        if (word.w > 0.0 && distance < room + ADHESION_REACH * push.kernel_radius) touched |= 1u << (ADHERES + i);
        contact(p * CONTACT_SLOTS + i) = vec4(vec3(0.0), min(room, distance));
#ifdef MESHES
        keep_near(p, i, at, x, v.xyz);
#endif
    }
    touching(p) = touched;
}
