// Hencky elasticity with fibers along three perpendicular directions (formulas in reference.rs).
// Constants: 0 mu, 1 kappa, 2-4 beta, 5-7 direction 1, 8-10 direction 2.

mat3 orthotropic_directions(uint c) {
    vec3 d = vec3(constant(c, 5u), constant(c, 6u), constant(c, 7u));
    vec3 e = vec3(constant(c, 8u), constant(c, 9u), constant(c, 10u));
    return mat3(d, e, cross(d, e));
}

// Squared stretches of the fibers, bounded below like the engine's strains.
vec3 orthotropic_stretch2(mat3 fibers) {
    vec3 stretch2 = vec3(dot(fibers[0], fibers[0]), dot(fibers[1], fibers[1]), dot(fibers[2], fibers[2]));
    return max(stretch2, vec3(1.0e-4));
}

float orthotropic_energy(uint c, vec4 state, TensorPoint point) {
    vec3 beta = vec3(constant(c, 2u), constant(c, 3u), constant(c, 4u));
    vec3 stretch2 = orthotropic_stretch2(point.deformation * orthotropic_directions(c));
    return hencky_energy(constant(c, 0u), constant(c, 1u), point.strain.hencky)
         + 0.5 * dot(beta, exp_remainder(log1p_(stretch2 - 1.0)));
}

float orthotropic_respond(uint c, vec4 state, float dt, TensorPoint point, out mat3 kirchhoff) {
    vec3 beta = vec3(constant(c, 2u), constant(c, 3u), constant(c, 4u));
    mat3 fibers = point.deformation * orthotropic_directions(c);
    vec3 stretch2 = orthotropic_stretch2(fibers);
    kirchhoff = compose(point.strain.axes, hencky_kirchhoff(constant(c, 0u), constant(c, 1u), point.strain.hencky))
              + compose(fibers, beta * ((stretch2 - 1.0) / stretch2));
    return orthotropic_energy(c, state, point);
}

float orthotropic_advance(uint c, inout vec4 state, float dt, inout TensorPoint point) {
    return 1.0;
}

// As if the stiffest fibers lay along all three directions.
vec2 orthotropic_moduli(uint c, vec4 state) {
    float beta = max(constant(c, 2u), max(constant(c, 3u), constant(c, 4u)));
    return vec2(constant(c, 0u) + beta, constant(c, 1u) + beta * (2.0 / 3.0));
}
