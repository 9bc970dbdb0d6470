// Contacts with sheets that the substep has listed.

#include "constraints/sheets/members.glsl"
#include "constraints/colliders/velocity.glsl"

// Returns the indices of the members of a contact; `edges`: whether two edges meet.
uvec4 members_of(uint contact, out bool edges) {
    uvec4 members = meeting(contact);
    edges = (members.x & MEETING_EDGES) != 0u;
    members.x &= ~MEETING_EDGES;
    return members;
}

// Returns the first word of the face with which a triangle meets.
uint face_of(uvec4 members) { return push.first_collider + (members.x & ~MEETING_OBSTACLE) * COLLIDER_WORDS; }

// Returns the places of the members of a contact at the start of the substep, as offsets from the first, or from the first corner of a
// triangle that meets a collider.
Members starts_at(uint contact, uvec4 members) {
    if (!on_obstacle(members)) return starts_of(members);
    Members start = starts_of(members.yyzw);
    start.at[0] = meeting_spot(2u * contact).xyz;
    return start;
}

// Returns their velocities relative to the same particle.
Members motions_at(uint contact, uvec4 members) {
    if (!on_obstacle(members)) return motions_of(members);
    Members v = motions_of(members.yyzw);
    vec3 spot = position(members.y).xyz + meeting_spot(2u * contact).xyz;
    uint at = face_of(members);
    vec3 carried = collider_velocity(at, carried_rigidly(at, spot));
    v.at[0] = carried + meeting_spot(2u * contact + 1u).xyz - velocity(members.y).xyz;
    return v;
}
