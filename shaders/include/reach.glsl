// What bounds the length of a substep.

// Whether p had neighbors or colliders in reach in the substep: what flies alone may go as far as it likes.
bool in_reach(uint p) {
    uvec2 range = neighbor_range(p);
    return neighbor_end(range) != range.x || touching(p) != 0u;
}
