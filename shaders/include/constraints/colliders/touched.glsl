// Faces of colliders that a particle touches. `touching` holds a byte for each, index plus one, the first in the lowest byte; the bits
// of its highest byte tell which of them hold the particle by adhesion.

// Returns the bytes of the faces.
uint touched_by(uint p) { return touching(p) & 0xffffffu; }

// Returns the first word of the face in the lowest byte.
uint face_at(uint touched) { return push.first_collider + ((touched & 0xffu) - 1u) * COLLIDER_WORDS; }

// Lets queries that follow use the triangles near the contact of p in `slot`, if it is with a mesh.
void look_near(uint p, uint slot) {
#if defined(MESHES) && defined(NEAR)
    near_contact = p * CONTACT_SLOTS + slot;
#endif
}
