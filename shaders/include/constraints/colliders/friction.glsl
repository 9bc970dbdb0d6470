// Friction of particles with faces of colliders.

// Returns the Coulomb coefficient of a face with the coefficient `friction` for p: fluids, of negative volume, slip along all but sticky
// surfaces.
float friction_for(uint p, float friction) {
    vec4 x = position(p);
    return elastic_volume_of(x) < 0.0 && friction < STICKY ? 0.0 : friction;
}
