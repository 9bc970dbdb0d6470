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

// Indices of the members of a link.
struct Places {
    uint at[LINK_MEMBERS];
};

Places places_of(uint index, uint members) {
    Places places;
    uvec4 first = link(2u * index), rest = link(2u * index + 1u);
    for (uint i = 0u; i < LINK_MEMBERS; ++i) {
        places.at[i] = 0u;
        if (i < members) places.at[i] = linked_place((i < 4u ? first : rest)[i % 4u]);
    }
    return places;
}

// Returns the constants of a link.
mat4 numbers_of(uint index) {
    uint at = LINK_WORDS * index;
    return mat4(link_numbers(at), link_numbers(at + 1u), link_numbers(at + 2u), link_numbers(at + 3u));
}

Ends ends_of(Places places, uint members) {
    Ends e;
    uint first = places.at[0];
    vec3 x = END_POSITION(first), low = END_LOW(first), moved = END_MOVED(first);
    for (uint i = 0u; i < LINK_MEMBERS; ++i) {
        vec3 lost = vec3(0.0);
        e.high[i] = vec3(0.0);
        e.low[i] = vec3(0.0);
        e.moved[i] = vec3(0.0);
        if (i >= members) continue;
        uint at = places.at[i];
        e.high[i] = exact_sum(END_POSITION(at), -x, lost);
        e.low[i] = (END_LOW(at) - low) + lost;
        e.moved[i] = END_MOVED(at) - moved;
    }
    return e;
}
