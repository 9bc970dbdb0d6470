// von Mises plasticity with linear hardening on Hencky elasticity.
// Constants: 0 mu, 1 kappa, 2 initial yield stress, 3 hardening ratio, 4 1 / (2 mu). State: x yield stress tau_Y [Pa].

// eps' = theta/3 + (r' / |e|) e with r = tau_Y / (2 mu), r' = r + xi (|e| - r): on the new surface.
vec3 von_mises_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {
    float hardening = constant(c, 3u);
    float mean = trace(hencky) * (1.0 / 3.0);
    vec3 e = hencky - mean;
    float size = length(e);
    float r = state.x * constant(c, 4u);
    float excess = max(size - r, 0.0);
    bool yields = excess > 0.0;
    float scale = yields ? (r + hardening * excess) / size : 1.0;
    state.x += 2.0 * constant(c, 0u) * hardening * excess;
    forget = size < REST_STRAIN ? 1.0 : scale;
    return yields ? mean + scale * e : hencky;
}

float von_mises_energy(uint c, vec4 state, vec3 hencky) {
    return hencky_energy(constant(c, 0u), constant(c, 1u), hencky);
}

vec3 von_mises_kirchhoff(uint c, vec4 state, vec3 hencky) {
    return hencky_kirchhoff(constant(c, 0u), constant(c, 1u), hencky);
}

vec2 von_mises_moduli(uint c, vec4 state) {
    return vec2(constant(c, 0u), constant(c, 1u));
}
