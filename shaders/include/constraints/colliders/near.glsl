// Triangles near a contact with a mesh (engine/scene/src/mesh/near.rs): around the point for which they were kept they suffice for nearest
// surface points. A contact has NEAR_WORDS words: the point, in the frame of the mesh, with the distance up to which they suffice,
// negative if nothing is kept; then the triangles, all bits set after the last.

uint near_contact = 0xffffffffu; // contact whose triangles serve the queries that follow; all bits set: none

const uint NO_TRIANGLE = 0xffffffffu;

// Looks at the kept triangles, if they suffice for x.
bool look_at_kept(vec3 x, inout Nearest best) {
    if (near_contact == 0xffffffffu) return false;
    uint at = near_contact * NEAR_WORDS;
    vec4 ball = uintBitsToFloat(mesh_near(at));
    if (!(length(x - ball.xyz) <= ball.w)) return false;
    best.distance2 = FAR * FAR;
    for (uint i = 0u; i < NEAR_TRIANGLES; ++i) {
        uvec4 four = mesh_near(at + 1u + i / 4u);
        uint t = four[i % 4u];
        if (t == NO_TRIANGLE) break;
        look_at_triangle(t, x, best);
    }
    return true;
}
