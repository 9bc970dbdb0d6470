// Overlaps that were there when the substep began are removed by a displacement in addition to dt v. It causes neither velocity nor
// strain, so matter may start inside a floor or other matter and gains no energy from it.

// Returns the displacement u [m] of p, whose position would otherwise be x [m]: shortened to its maximum, then corrected to leave the
// colliders that p touches and to enter none. In a wedge the last collider has its way, but leads p through no other surface.
vec3 led_out_of_colliders(uint p, vec3 x, float radius, vec3 u) {
    float most = MAX_DISPLACEMENT * push.kernel_radius;
    float size = length(u);
    if (size > most) u *= most / size;
    for (uint touched = touched_by(p); touched != 0u; touched >>= 8) {
        uint at = face_at(touched);
        vec4 surface = collider_distance(at, x);
        float depth = kept_free(at, radius) - surface.w;
        float least = depth > 0.0 ? min(OVERLAP_REDUCTION * depth, most) : depth;
        u += max(0.0, least - dot(u, surface.xyz)) * surface.xyz;
    }
    if (touched_by(p) <= 0xffu) return u;
    for (uint touched = touched_by(p); touched != 0u; touched >>= 8) {
        vec4 surface = collider_distance(face_at(touched), x);
        u += max(0.0, -max(0.0, surface.w) - dot(u, surface.xyz)) * surface.xyz;
    }
    return u;
}

void count_displaced(vec3 u) {
    if (length(u) > SEPARATION_TOLERANCE * push.kernel_radius) atomicAdd(status(COUNT_OVERLAP_DISPLACED), 1u);
}
