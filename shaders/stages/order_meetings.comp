// Orders the contacts of each particle by their keys, so that sums over them do not depend on the order in which they were found. One
// invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 64) in;

#ifdef SHEETS
bool comes_before(uint a, uint b) {
    uvec2 first = meeting_key(a >> 2), second = meeting_key(b >> 2);
    return first.x < second.x || (first.x == second.x && first.y < second.y);
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uint sorted = NOTHING;
    for (uint next = meeting_first(p); next != NOTHING;) {
        uint here = next;
        next = meeting_next(here);
        uint before = NOTHING, after = sorted;
        while (after != NOTHING && comes_before(after, here)) {
            before = after;
            after = meeting_next(after);
        }
        meeting_next(here) = after;
        if (before == NOTHING) sorted = here;
        else meeting_next(before) = here;
    }
    meeting_first(p) = sorted;
}
#else
void main() {}
#endif
