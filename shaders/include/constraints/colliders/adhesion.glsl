// Adhesion: a contact that holds a particle pulls as well as pushes, up to the collider's adhesion on the section of the particle.
// Beyond that the surface lets the particle go, and pulls until it is farther away than where adhesion begins to hold.

// Returns the largest pull of the contact of p in `slot` with the face `at` as a change of its velocity [m/s]; negative where a wall
// pushes a fluid by its pressure: the least push.
float pull_of(uint p, uint slot, uint at) {
#ifdef FLUIDS
    vec4 x = position(p);
    if (elastic_volume_of(x) < 0.0) {
        vec4 least = wall_push(p);
        return -least[slot];
    }
#endif
#ifdef ADHESION
    if ((touching(p) >> (ADHERES + slot) & 1u) == 0u) return 0.0;
    vec4 remembered = memory(p), v = velocity(p), word = collider(at + 5u);
    float edge = 2.0 * contact_radius(rest_volume_of(remembered));
    return word.w * edge * edge * push.dt * inverse_mass_of(v);
#else
    return 0.0;
#endif
}
