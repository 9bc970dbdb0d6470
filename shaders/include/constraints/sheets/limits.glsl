// Displacements that colliders leave to contact with sheets.

// Stores what the colliders that p touches leave to further displacements: contact with sheets may use up the room above a surface, but
// leads nothing deeper into it than u does.
void limit_shifts(uint p, vec3 x, float radius, vec3 u) {
    uint slot = p * CONTACT_SLOTS;
    uint end = slot + CONTACT_SLOTS;
    for (uint touched = touched_by(p); touched != 0u; touched >>= 8) {
        uint at = face_at(touched);
        vec4 surface = collider_distance(at, x);
        float depth = kept_free(at, radius) - surface.w;
        shift_limit(slot++) = vec4(surface.xyz, min(depth, dot(u, surface.xyz)));
    }
    while (slot < end) shift_limit(slot++) = vec4(0.0);
}
