// Isotropic elasticity with a choice of energies, each in a form that cannot be negative near rest.
// Constants: 0 mu, 1 kappa, 2 lambda, 3 energy (0 Hencky, 1 neo-Hookean, 2 split neo-Hookean, 3 fixed corotated).

vec3 elastic_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {
    forget = 1.0;
    return hencky;
}

// Arguments of the exponentials in the energies that need them: 2 eps, 2 dev eps or eps, and 2 theta or theta.
vec3 elastic_shape_argument(float kind, vec3 hencky) {
    return kind < 1.5 ? 2.0 * hencky : kind < 2.5 ? 2.0 * deviator(hencky) : hencky;
}

float elastic_energy(uint c, vec4 state, vec3 hencky) {
    float mu = constant(c, 0u), kappa = constant(c, 1u), lambda = constant(c, 2u), kind = constant(c, 3u);
    if (kind < 0.5) {
        return hencky_energy(mu, kappa, hencky);
    }
    float theta = trace(hencky);
    vec3 x = elastic_shape_argument(kind, hencky);
    vec3 h = exp_remainder(x);
    float y = kind < 2.5 ? 2.0 * theta : theta;
    float h_volume = exp_remainder(y);
    float shape = kind < 2.5 ? 0.5 * trace(h) : dot(x + h, x + h);
    float volume = kind < 1.5 ? 0.5 * lambda * theta * theta
                 : kind < 2.5 ? 0.25 * kappa * h_volume : 0.5 * lambda * (y + h_volume) * (y + h_volume);
    return mu * shape + volume;
}

vec3 elastic_kirchhoff(uint c, vec4 state, vec3 hencky) {
    float mu = constant(c, 0u), kappa = constant(c, 1u), lambda = constant(c, 2u), kind = constant(c, 3u);
    if (kind < 0.5) {
        return hencky_kirchhoff(mu, kappa, hencky);
    }
    float theta = trace(hencky);
    vec3 m = expm1_(elastic_shape_argument(kind, hencky));
    float v = expm1_(kind < 2.5 ? 2.0 * theta : theta);
    vec3 shape = kind < 1.5 ? m : kind < 2.5 ? deviator(m) : 2.0 * m * (m + 1.0);
    float volume = kind < 1.5 ? lambda * theta : kind < 2.5 ? 0.5 * kappa * v : lambda * v * (v + 1.0);
    return mu * shape + volume;
}

vec2 elastic_moduli(uint c, vec4 state) {
    return vec2(constant(c, 0u), constant(c, 1u));
}
