// Stomakhin's snow: fixed corotated elasticity, stretches bounded on both sides, stiffer by e^x, x = xi (1 - Jp).
// Constants: 0 mu, 1 kappa, 2 lambda, 3 ln(1 - theta_c), 4 ln(1 + theta_s), 5 xi. State: x plastic volume Jp.

float snow_hardness(uint c, vec4 state) {
    return exp(clamp(constant(c, 5u) * (1.0 - state.x), -20.0, 20.0));
}

// The clamped part of a strain moves into the plastic volume: J Jp is conserved.
vec3 snow_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {
    vec3 bounded = clamp(hencky, constant(c, 3u), constant(c, 4u));
    forget = 1.0;
    if (bounded == hencky) return hencky;
    state.x = clamp(state.x + state.x * expm1_(trace(hencky - bounded)), 0.01, 100.0);
    forget = forget_factor(hencky, bounded);
    return bounded;
}

// e^x (mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2)
float snow_energy(uint c, vec4 state, vec3 hencky) {
    vec3 m = expm1_(hencky);
    float v = expm1_(trace(hencky));
    return snow_hardness(c, state) * (constant(c, 0u) * dot(m, m) + 0.5 * constant(c, 2u) * v * v);
}

// e^x (2 mu (s_i - 1) s_i + lambda (J - 1) J)
vec3 snow_kirchhoff(uint c, vec4 state, vec3 hencky) {
    vec3 m = expm1_(hencky);
    float v = expm1_(trace(hencky));
    vec3 stress = 2.0 * constant(c, 0u) * m * (m + 1.0) + constant(c, 2u) * v * (v + 1.0);
    return snow_hardness(c, state) * stress;
}

vec2 snow_moduli(uint c, vec4 state) {
    return snow_hardness(c, state) * vec2(constant(c, 0u), constant(c, 1u));
}
