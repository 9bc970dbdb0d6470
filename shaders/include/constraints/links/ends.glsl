// Links between given particles: finds their particles and evaluates them. The formulas are beside this file, the switch over their kinds is
// generated. Before it includes this file, a stage defines the position of a particle, its low part, and the displacement to add to
// both: END_POSITION(p) [m], END_LOW(p) [m], END_MOVED(p) [m]. FIRST_LINKED is the id of the first linked particle; all particles from
// there on are linked.

// Offsets of the members from the first one [m]: two f32 parts at the start, and the displacement added to them.
struct Ends {
    vec3 high[LINK_MEMBERS];
    vec3 low[LINK_MEMBERS];
    vec3 moved[LINK_MEMBERS];
};

vec3 end_of(Ends e, uint i) { return e.high[i] + (e.low[i] + e.moved[i]); }

#include "generated/link_kinds.glsl"

// Returns the indices of the members of a link.
uvec4 places_of(uint index, uint members) {
    uvec4 ids = link(index);
    uvec4 at = uvec4(0u);
    for (uint i = 0u; i < members; ++i) at[i] = linked_place(ids[i] - FIRST_LINKED);
    return at;
}

Ends ends_of(uvec4 at, uint members) {
    Ends e;
    vec3 x = END_POSITION(at.x), low = END_LOW(at.x), moved = END_MOVED(at.x);
    for (uint i = 0u; i < LINK_MEMBERS; ++i) {
        vec3 lost = vec3(0.0);
        e.high[i] = vec3(0.0);
        e.low[i] = vec3(0.0);
        e.moved[i] = vec3(0.0);
        if (i >= members) continue;
        e.high[i] = exact_sum(END_POSITION(at[i]), -x, lost);
        e.low[i] = (END_LOW(at[i]) - low) + lost;
        e.moved[i] = END_MOVED(at[i]) - moved;
    }
    return e;
}
