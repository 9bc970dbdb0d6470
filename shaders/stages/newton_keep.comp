// Stores the acceleration by internal forces in the Newton solve and the springs on which a particle rests, for the guess of the next
// substep, and sets the crowd of the first round of the position correction to the number of candidates. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "neighborhood.glsl"
#include "guess.glsl"
#include "symmetric.glsl"
#include "invert_block.glsl"
#include "constraints/distance/spring.glsl"
#include "constraints/colliders/touched.glsl"

#ifdef SHEETS
#include "constraints/sheets/listed.glsl"
#endif

layout(local_size_x = 64) in;

// Returns whether a contact with a sheet pushes p.
bool is_touched(uint p) {
#ifdef SHEETS
    for (uint at = meeting_first(p); at != NOTHING; at = meeting_next(at)) {
        bool edges;
        uvec4 members = members_of(at >> 2, edges);
        Members start = starts_at(at >> 2, members), v = motions_at(at >> 2, members);
        vec4 numbers = meeting_numbers(at >> 2);
        Approach found;
        bool near = approaches(edges, start, moved_by(start, v, push.dt), found);
        if (near && found.distance < least_gap_of(numbers)) return true;
    }
#endif
    return false;
}

// Returns whether too-close pairs push p. `springs`: stiffness over the mass of a spring that would push as they do [1/s^2].
bool is_pushed(uint p, uvec2 range, vec4 v, out float springs) {
    bool found = false;
    vec3 xp = position(p).xyz, force = vec3(0.0);
    for (uint i = range.x; i < near_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        NearPush action = pushed(p, b, position(b).xyz - xp, velocity(b).xyz - v.xyz);
        if (!(action.lacking > 0.0)) continue;
        found = true;
        force -= action.stiffness * action.lacking * action.normal;
    }
    vec3 moved = push.dt * v.xyz;
    float way = dot(moved, moved);
    springs = 0.0;
    if (found && way > 0.0) {
        float stiffness = -dot(force, moved) / way * inverse_mass_of(v);
        if (stiffness > 0.0 && stiffness < 1e30) springs = stiffness;
    }
    return found;
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    vec4 v = velocity(p);
    uvec2 range = neighbor_range(p);
    uvec4 self = identity(p);
    uint body = body_of(self);
    vec3 fall = push.dt * vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    vec3 base = guess_base(body, velocity_start(p).xyz, fall);
    // In a body that rests, velocities within the tolerance are noise and give no guess, except for too-close pairs: these start where
    // their load takes them.
    float springs = 0.0;
    bool noise = base == vec3(0.0) && !(is_pushed(p, range, v, springs) || is_touched(p)) && rests(body, v.xyz, fall);
    vec3 change = (noise ? vec3(0.0) : v.xyz) - base - fall;
    uint slot = p * CONTACT_SLOTS;
    for (uint touched = touched_by(p); touched != 0u; touched >>= 8) {
        vec3 reaction = contact(slot++).xyz;
        change -= reaction;
        if (reaction != vec3(0.0)) springs = 0.0;
    }
    if (springs > 0.0) change += springs * push.dt * push.dt * v.xyz;
    // A failed solve leaves no guess.
    bool usable = inverse_mass_of(v) > 0.0 && dot(v.xyz, v.xyz) < 1e30;
    committed_internal_acceleration(p) = usable ? vec4(change / push.dt, springs) : vec4(0.0);
    deferred(p) = vec4(vec3(0.0), float(near_count(range)));
    // The position correction asks how stiff matter is. A solve that began in balance has not inverted the blocks.
    if (inverse_mass_of(v) > 0.0 && block_trace_of(preconditioner_diagonal(p)) == 0.0) invert_block(p, 1.0 / inverse_mass_of(v));
}
