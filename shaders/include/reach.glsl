// What bounds the length of a substep.

// Whether p, with this id, had neighbors or colliders in reach in the substep: what flies alone may go as far as it likes, but not a rope.
bool in_reach(uint p, uint id) {
#ifdef FIRST_LINKED
    if (id >= FIRST_LINKED) return true;
#endif
    uvec2 range = neighbor_range(p);
    return neighbor_end(range) != range.x || touching(p) != 0u;
}
