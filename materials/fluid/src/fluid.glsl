// A Newtonian fluid that bears no tension: tau = K min(theta, 0) + 2 eta dev D.
// Constants: 0 mu, 1 K, 2 eta [Pa s]. The deviator of the trial strain is dt dev D, of which the fraction eta / (mu dt) is kept.

vec3 fluid_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {
    float mean = trace(hencky) * (1.0 / 3.0);
    forget = min(constant(c, 2u) / (constant(c, 0u) * max(dt, 1e-30)), 1.0);
    return min(mean, 0.0) + forget * (hencky - mean);
}

float fluid_energy(uint c, vec4 state, vec3 hencky) {
    return hencky_energy(constant(c, 0u), constant(c, 1u), hencky);
}

vec3 fluid_kirchhoff(uint c, vec4 state, vec3 hencky) {
    return hencky_kirchhoff(constant(c, 0u), constant(c, 1u), hencky);
}

vec2 fluid_moduli(uint c, vec4 state) {
    return vec2(constant(c, 0u), constant(c, 1u));
}
