// Overlaps that were there when the substep began are worked off by displacement, beside dt v: it gives no velocity and no strain,
// so that matter may start in a floor or in other matter and gains no energy from it.

// The displacement u [m] of p, which is at x [m] otherwise: shortened, then led out of the colliders that it touches, and into none.
vec3 led_out_of_colliders(uint p, vec3 x, float radius, vec3 u) {
    float most = MAX_DISPLACEMENT * push.kernel_radius;
    float size = length(u);
    if (size > most) u *= most / size;
    for (uint touched = touching(p); touched != 0u; touched >>= 8) {
        uint at = push.first_collider + ((touched & 0xffu) - 1u) * COLLIDER_WORDS;
        vec4 surface = collider_distance(at, x);
        float depth = radius - surface.w;
        float least = depth > 0.0 ? min(OVERLAP_REDUCTION * depth, most) : depth;
        u += max(0.0, least - dot(u, surface.xyz)) * surface.xyz;
    }
    return u;
}

void count_displaced(vec3 u) {
    if (length(u) > SEPARATION_TOLERANCE * push.kernel_radius) atomicAdd(status(COUNT_OVERLAP_DISPLACED), 1u);
}
