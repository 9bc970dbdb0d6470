// What a particle remembers of its contacts within a substep.

// A particle tracks up to three colliders: their indices plus one, a byte each.
const uint CONTACT_SLOTS = 3u;

// Distance from a surface at which a particle is in contact [m].
float contact_radius(float rest_volume) { return 0.5 * pow(rest_volume, 1.0 / 3.0); }
