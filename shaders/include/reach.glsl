// Particles that bound the length of a substep.

#include "linked.glsl"

// Returns whether p, with this id, had neighbors or colliders in reach in the substep, or is linked: a particle that flies alone may
// travel any distance, except in a rope.
bool in_reach(uint p, uint id) {
    if (is_linked(id)) return true;
    uvec2 range = neighbor_range(p);
    return neighbor_count(range) != 0u || touching(p) != 0u;
}
