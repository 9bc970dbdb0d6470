// Keeps the triangles of a mesh that are nearest to a point (near.glsl).

// Triangles found so far, by distance; the last entry is only for its distance.
float kept_distance[NEAR_TRIANGLES + 1u];
uint kept_triangle[NEAR_TRIANGLES + 1u];

void add_kept(float d, uint t) {
    uint at = NEAR_TRIANGLES;
    if (d >= kept_distance[at]) return;
    for (; at > 0u && kept_distance[at - 1u] > d; --at) {
        kept_distance[at] = kept_distance[at - 1u];
        kept_triangle[at] = kept_triangle[at - 1u];
    }
    kept_distance[at] = d;
    kept_triangle[at] = t;
}

// Keeps, for a contact, the triangles nearest to x in the frame of the mesh: as many as fit, or those that are at most twice `wanted`
// farther than the nearest.
void keep_triangles(uint contact_index, uint root, vec3 x, float wanted) {
    for (uint i = 0u; i <= NEAR_TRIANGLES; ++i) {
        kept_distance[i] = FAR;
        kept_triangle[i] = NO_TRIANGLE;
    }
    // The nearest triangle bounds the walk from the start.
    vec4 nearest = mesh_distance(root, x, FAR);
    float bound = abs(nearest.w) + 2.0 * wanted;
    uvec4 tail = mesh_node(2u * root + 1u);
    uint end = tail.w;
    for (uint node = root; node != end;) {
        uvec4 head = mesh_node(2u * node);
        bool near = box_distance2(node, x) <= bound * bound;
        if (near && is_leaf(head)) {
            uint first = (head.w & ~MESH_LEAF) >> 3, count = head.w & 7u;
            for (uint t = first; t < first + count; ++t) {
                Nearest one = Nearest(FAR * FAR, vec3(0.0), 0u, 0u);
                look_at_triangle(t, x, one);
                float d = sqrt(one.distance2);
                if (d <= bound) add_kept(d, t);
            }
            bound = min(bound, kept_distance[NEAR_TRIANGLES]);
        }
        tail = mesh_node(2u * node + 1u);
        node = near && !is_leaf(head) ? node + 1u : tail.w;
    }
    // Rounding must not make a triangle look just too far.
    float reach = min(wanted, 0.4999 * (kept_distance[NEAR_TRIANGLES] - kept_distance[0]));
    if (kept_distance[0] >= FAR) reach = -1.0;
    uint at = contact_index * NEAR_WORDS;
    mesh_near(at) = floatBitsToUint(vec4(x, reach));
    for (uint i = 0u; i < NEAR_TRIANGLES; i += 4u) {
        mesh_near(at + 1u + i / 4u) =
            uvec4(kept_triangle[i], kept_triangle[i + 1u], kept_triangle[i + 2u], kept_triangle[i + 3u]);
    }
}

// Keeps the triangles near a move of p from x by dt v, as far as it is seen, for its contact in `slot` with the face `at`.
void keep_near(uint p, uint slot, uint at, vec3 x, vec3 v) {
    vec4 head = collider(at), size = collider(at + 1u), q = collider(at + 3u);
    if (uint(head.x) != SHAPE_MESH) return;
    vec3 way = looked_at_from(x, v) - x;
    float wanted = length(way) + NEAR_MARGIN * 0.5 * push.kernel_radius;
    vec3 local = rotate_by(vec4(-q.xyz, q.w), x + 0.5 * way - collider(at + 2u).xyz);
    keep_triangles(p * CONTACT_SLOTS + slot, uint(size.x), local, wanted);
}
