// An elastic solid in parallel with a relaxing branch (formulas in reference.rs).
// Constants: 0 mu, 1 kappa, 2 mu_N, 3 kappa_N, 4 v_d, 5 v_v.

// a_d and a_v: the fractions of the branch's strain that remain after a step.
vec2 viscoelastic_kept(uint c, float dt) {
    vec2 v = vec2(constant(c, 4u), constant(c, 5u));
    vec2 slack = 2.0 * dt * vec2(constant(c, 2u), constant(c, 3u));
    return mix(vec2(0.0), v / (v + slack), greaterThan(v, vec2(0.0)));
}

float viscoelastic_respond(uint c, vec4 state, float dt, TensorPoint point, out mat3 kirchhoff) {
    vec2 kept = viscoelastic_kept(c, dt);
    float mu = constant(c, 0u), kappa = constant(c, 1u);
    float mu_n = kept.x * constant(c, 2u), kappa_n = kept.y * constant(c, 3u);
    kirchhoff = compose(point.strain.axes, hencky_kirchhoff(mu, kappa, point.strain.hencky))
              + compose(point.branch.axes, hencky_kirchhoff(mu_n, kappa_n, point.branch.hencky));
    return hencky_energy(mu, kappa, point.strain.hencky) + hencky_energy(mu_n, kappa_n, point.branch.hencky);
}

float viscoelastic_advance(uint c, inout vec4 state, float dt, inout TensorPoint point) {
    vec2 kept = viscoelastic_kept(c, dt);
    vec3 eps = point.branch.hencky;
    point.branch.hencky = kept.x * deviator(eps) + kept.y * trace(eps) * (1.0 / 3.0);
    return 1.0;
}

float viscoelastic_energy(uint c, vec4 state, TensorPoint point) {
    return hencky_energy(constant(c, 0u), constant(c, 1u), point.strain.hencky)
         + hencky_energy(constant(c, 2u), constant(c, 3u), point.branch.hencky);
}

vec2 viscoelastic_moduli(uint c, vec4 state) {
    return vec2(constant(c, 0u) + constant(c, 2u), constant(c, 1u) + constant(c, 3u));
}
