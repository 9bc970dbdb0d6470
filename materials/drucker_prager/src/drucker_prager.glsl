// Drucker-Prager plasticity on Hencky elasticity, with cohesion and volume correction.
// Constants: 0 mu, 1 kappa, 2 k = 3 kappa alpha / (2 mu), 3 c0 (strain per axis at the tip of the cone), 4 volume
// correction (0 or 1), 5 c0 per cohesion [1/Pa]. State: x log volume gained at the tip and not yet recovered, v_c >= 0; y cohesion by a
// fluid in the pores [Pa].

// u reduces compression by the volume gained before. Tip where t = theta + u - 3 c0 >= 0: eps' = c0. Below, the deviator is
// shortened to at most -k t: elastic or on the cone.
vec3 drucker_prager_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {
    float tip = constant(c, 3u) + constant(c, 5u) * state.y;
    float correction = constant(c, 4u);
    float theta = trace(hencky);
    vec3 e = hencky - theta * (1.0 / 3.0);
    float size = length(e);
    float u = correction * min(state.x, max(-theta, 0.0));
    float t = theta + u - 3.0 * tip;
    bool at_tip = t >= 0.0;
    float radius = max(-constant(c, 2u) * t, 0.0);
    bool yields = size > radius;
    float scale = yields ? radius / size : 1.0;
    state.x += correction * (max(t, 0.0) - u);
    forget = at_tip ? 0.0 : size < REST_STRAIN ? 1.0 : scale;
    vec3 below = (yields ? scale * e + theta * (1.0 / 3.0) : hencky) + u * (1.0 / 3.0);
    return at_tip ? vec3(tip) : below;
}

float drucker_prager_energy(uint c, vec4 state, vec3 hencky) {
    return hencky_energy(constant(c, 0u), constant(c, 1u), hencky);
}

vec3 drucker_prager_kirchhoff(uint c, vec4 state, vec3 hencky) {
    return hencky_kirchhoff(constant(c, 0u), constant(c, 1u), hencky);
}

vec2 drucker_prager_moduli(uint c, vec4 state) {
    return vec2(constant(c, 0u), constant(c, 1u));
}
