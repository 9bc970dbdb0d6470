// The binary tree over the triangles of sheets: node 1 is the root, the children of n are 2 n and 2 n + 1, and the leaves, from
// SHEET_LEAVES on, are triangles.

bool overlaps(uint node, vec3 low, vec3 high) {
    return all(lessThanEqual(sheet_box(2u * node).xyz, high)) && all(greaterThanEqual(sheet_box(2u * node + 1u).xyz, low));
}

// Returns the next triangle whose box overlaps another one, and moves `node` on behind it; NOTHING if there is none. Begins with node 1.
uint next_triangle(inout uint node, vec3 low, vec3 high) {
    while (node != 0u) {
        uint here = node;
        bool meets = overlaps(here, low, high);
        if (meets && here < SHEET_LEAVES) {
            node = 2u * here;
            continue;
        }
        while ((node & 1u) != 0u) node >>= 1u;
        if (node != 0u) ++node;
        if (meets) return here - SHEET_LEAVES;
    }
    return NOTHING;
}

// Returns the indices of the corners of a triangle.
uvec3 corners_of(uint triangle) {
    uvec4 word = sheet_triangle(2u * triangle);
    return uvec3(linked_place(word.x), linked_place(word.y), linked_place(word.z));
}
