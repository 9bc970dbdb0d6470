// Contacts with sheets that the substep has listed.

#include "constraints/sheets/members.glsl"

// Returns the indices of the members of a contact; `edges`: whether two edges meet.
uvec4 members_of(uint contact, out bool edges) {
    uvec4 members = meeting(contact);
    edges = (members.x & MEETING_EDGES) != 0u;
    members.x &= ~MEETING_EDGES;
    return members;
}
