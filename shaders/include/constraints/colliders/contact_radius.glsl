// Size of a particle in contact.

// Returns the distance from a surface at which a particle is in contact [m].
float contact_radius(float rest_volume) { return 0.5 * pow(rest_volume, 1.0 / 3.0); }

// Returns the distance that a particle of this contact radius keeps from the face `at` [m].
float kept_free(uint at, float radius) {
    vec4 word = collider(at + 4u);
    return radius + word.w;
}
