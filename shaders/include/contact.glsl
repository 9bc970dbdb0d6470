// What a particle remembers of its contacts within a substep.

// Distance from a surface at which a particle is in contact [m].
float contact_radius(float rest_volume) { return 0.5 * pow(rest_volume, 1.0 / 3.0); }
