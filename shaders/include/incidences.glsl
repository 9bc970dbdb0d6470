// The links of a particle.

// A link of a particle, as its list has it: index, kind and which member the particle is.
struct Incidence {
    uint index;
    uint kind;
    uint role;
};

Incidence incidence(uint i) {
    uint word = link_list(i);
    return Incidence(word >> 4, (word >> 2) & 3u, word & 3u);
}

// First incidence of the particle with that id, and the end.
uvec2 incidences_of(uint id) {
    if (id < FIRST_LINKED) return uvec2(0u);
    return uvec2(link_start(id - FIRST_LINKED), link_start(id - FIRST_LINKED + 1u));
}
