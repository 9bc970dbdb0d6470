// The links of a particle.

#include "linked.glsl"

// An entry in a particle's list of links: index and kind of the link, and which of its members the particle is.
struct Incidence {
    uint index;
    uint kind;
    uint role;
};

Incidence incidence(uint i) {
    uint word = link_list(i);
    return Incidence(word >> 5, (word >> 3) & 3u, word & 7u);
}

// Returns the range [first, end) of incidences of the particle with this id.
uvec2 incidences_of(uint id) {
    if (!is_linked(id)) return uvec2(0u);
    return uvec2(link_start(id - FIRST_LINKED), link_start(id - FIRST_LINKED + 1u));
}
