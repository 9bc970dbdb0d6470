// Distances of patches of meshes. Their trees are walked depth first without a stack: a node that is too far away leads to the node
// after its subtree. A node is two words: box and first triangle of a leaf or second child, box and node after the subtree. A triangle
// is nine words: corners with the unit normal in w, pseudo-normals of edges ab, bc and ca, pseudo-normals of vertices a, b and c, with 1
// in w where the patch ends (engine/solver/src/colliders/mesh.rs).

bool seen_at_cut = false; // whether the surface point that collider_distance last found is where its patch ends

// Nearest surface point so far.
struct Nearest {
    float distance2;
    vec3 away;     // from the surface point to the point it was sought for [m]
    uint triangle; // its first word
    uint feature;  // 0 face, 1 to 3 edges ab, bc and ca, 4 to 6 vertices
};

// Returns the nearest point of a triangle, and on which part of it that lies (Ericson, Real-Time Collision Detection, 5.1.5).
vec3 nearest_on_triangle(vec3 a, vec3 b, vec3 c, vec3 p, out uint feature) {
    vec3 ab = b - a, ac = c - a;
    if (b == c) { // a segment of a rim
        feature = 1u;
        return a + clamp(dot(p - a, ab) / dot(ab, ab), 0.0, 1.0) * ab;
    }
    float d1 = dot(ab, p - a), d2 = dot(ac, p - a);
    feature = 4u;
    if (d1 <= 0.0 && d2 <= 0.0) return a;
    float d3 = dot(ab, p - b), d4 = dot(ac, p - b);
    feature = 5u;
    if (d3 >= 0.0 && d4 <= d3) return b;
    float vc = d1 * d4 - d3 * d2;
    feature = 1u;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return a + ab * (d1 / (d1 - d3));
    float d5 = dot(ab, p - c), d6 = dot(ac, p - c);
    feature = 6u;
    if (d6 >= 0.0 && d5 <= d6) return c;
    float vb = d5 * d2 - d1 * d6;
    feature = 3u;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return a + ac * (d2 / (d2 - d6));
    float va = d3 * d6 - d5 * d4;
    feature = 2u;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    feature = 0u;
    return a + ab * (vb / (va + vb + vc)) + ac * (vc / (va + vb + vc));
}

float box_distance2(uint node, vec3 x) {
    vec3 low = uintBitsToFloat(mesh_node(2u * node).xyz), high = uintBitsToFloat(mesh_node(2u * node + 1u).xyz);
    vec3 gap = max(max(low - x, x - high), vec3(0.0));
    return dot(gap, gap);
}

bool is_leaf(uvec4 head) { return (head.w & MESH_LEAF) != 0u; }

void look_at_triangle(uint t, vec3 x, inout Nearest best) {
    uint at = t * TRIANGLE_WORDS, feature;
    vec3 away = x - nearest_on_triangle(mesh_triangle(at).xyz, mesh_triangle(at + 1u).xyz, mesh_triangle(at + 2u).xyz, x, feature);
    float distance2 = dot(away, away);
    if (distance2 < best.distance2) best = Nearest(distance2, away, at, feature);
}

// Looks at the triangles of a leaf.
void look(uvec4 head, vec3 x, inout Nearest best) {
    uint first = (head.w & ~MESH_LEAF) >> 3, count = head.w & 7u;
    for (uint t = first; t < first + count; ++t) look_at_triangle(t, x, best);
}

#ifdef DEFORMS
// Returns how far deformation moved the surface point q of a triangle in the substep [m].
vec3 drift_at(Nearest near, vec3 q) {
    uint t = near.triangle / TRIANGLE_WORDS * 3u;
    vec3 a = mesh_drift(t).xyz, b = mesh_drift(t + 1u).xyz, c = mesh_drift(t + 2u).xyz;
    if (near.feature > 3u) return near.feature == 4u ? a : near.feature == 5u ? b : c;
    vec3 xa = mesh_triangle(near.triangle).xyz, xb = mesh_triangle(near.triangle + 1u).xyz, xc = mesh_triangle(near.triangle + 2u).xyz;
    if (near.feature != 0u) {
        vec3 from = near.feature == 1u ? xa : near.feature == 2u ? xb : xc, to = near.feature == 1u ? xb : near.feature == 2u ? xc : xa;
        vec3 first = near.feature == 1u ? a : near.feature == 2u ? b : c, last = near.feature == 1u ? b : near.feature == 2u ? c : a;
        float size = dot(to - from, to - from);
        return mix(first, last, size > 0.0 ? clamp(dot(q - from, to - from) / size, 0.0, 1.0) : 0.0);
    }
    vec3 n = cross(xb - xa, xc - xa);
    float area = max(dot(n, n), 1e-30);
    float u = dot(cross(q - xa, xc - xa), n) / area, v = dot(cross(xb - xa, q - xa), n) / area;
    return a + u * (b - a) + v * (c - a);
}
#endif

// Returns the unit normal (xyz) and signed distance (w) of a patch by its nearest surface point.
vec4 seen_at(uint root, vec3 x, Nearest best) {
    vec4 part = mesh_triangle(best.triangle + 2u + best.feature);
    vec3 pseudo = part.xyz;
    if (best.feature == 0u) {
        vec4 a = mesh_triangle(best.triangle), b = mesh_triangle(best.triangle + 1u);
        pseudo = vec3(a.w, b.w, part.w);
    }
    seen_at_cut = best.feature != 0u && part.w != 0.0;
#ifdef DEFORMS
    seen_drift = drift_at(best, x - best.away);
#endif
    float side = dot(best.away, pseudo) < 0.0 ? -1.0 : 1.0;
    float d = sqrt(best.distance2);
    vec3 extent = uintBitsToFloat(mesh_node(2u * root + 1u).xyz) - uintBitsToFloat(mesh_node(2u * root).xyz);
    // So near, the way to the surface gives no direction.
    bool touches = d <= 1e-6 * max(extent.x, max(extent.y, extent.z));
    float size = length(pseudo);
    vec3 upright = size > 0.0 ? pseudo / size : vec3(0.0, 1.0, 0.0);
    return vec4(touches ? upright : side / d * best.away, side * d);
}

#ifdef NEAR
#include "constraints/colliders/near.glsl"
#endif

// Returns the unit normal (xyz) and signed distance (w) of the patch whose tree starts at `root`, seen from x; a distance of FAR if that
// is more than `limit`.
vec4 mesh_distance(uint root, vec3 x, float limit) {
    seen_at_cut = false;
    Nearest best = Nearest(limit * limit, vec3(0.0), 0xffffffffu, 0u);
#ifdef NEAR
    if (look_at_kept(x, best)) return seen_at(root, x, best);
#endif
    if (box_distance2(root, x) >= limit * limit) return vec4(0.0, 1.0, 0.0, FAR);
    uint node = root;
    uvec4 head = mesh_node(2u * node);
    while (!is_leaf(head)) {
        node = box_distance2(node + 1u, x) <= box_distance2(head.w, x) ? node + 1u : head.w;
        head = mesh_node(2u * node);
    }
    look(head, x, best);
    uvec4 tail = mesh_node(2u * root + 1u);
    uint end = tail.w;
    for (node = root; node != end;) {
        head = mesh_node(2u * node);
        bool near = box_distance2(node, x) < best.distance2;
        if (near && is_leaf(head)) look(head, x, best);
        tail = mesh_node(2u * node + 1u);
        node = near && !is_leaf(head) ? node + 1u : tail.w;
    }
    if (best.triangle == 0xffffffffu) return vec4(0.0, 1.0, 0.0, FAR);
    return seen_at(root, x, best);
}
