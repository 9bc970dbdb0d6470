// A Newtonian fluid that bears no tension: tau = K min(theta, 0) + 2 eta dev D.
// Constants: 0 mu, 1 K, 2 eta [Pa s]. The deviator of the trial strain is dt dev D, of which the fraction eta / (mu dt) is kept.

vec3 fluid_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {
    float mean = trace(hencky) * (1.0 / 3.0);
    forget = min(constant(c, 2u) / (constant(c, 0u) * max(dt, 1e-30)), 1.0);
    return mean + forget * (hencky - mean);
}

float fluid_energy(uint c, vec4 state, vec3 hencky) {
    vec3 e = deviator(hencky);
    float theta = min(trace(hencky), 0.0);
    return constant(c, 0u) * dot(e, e) + 0.5 * constant(c, 1u) * theta * theta;
}

vec3 fluid_kirchhoff(uint c, vec4 state, vec3 hencky) {
    return 2.0 * constant(c, 0u) * deviator(hencky) + constant(c, 1u) * min(trace(hencky), 0.0);
}

vec2 fluid_moduli(uint c, vec4 state) {
    return vec2(constant(c, 0u), constant(c, 1u));
}
