// Non-associated Cam Clay on split neo-Hookean elasticity, bb_i = exp(2 e_i), pressures in units of kappa.
// Constants: 0 mu, 1 kappa, 2 beta, 3 xi, 4 M, 5 cap of p0, 6 initial alpha, 7 hardening (0 or 1), 8 published flow
// (0 or 1), 9 sqrt(3/2) mu / kappa. State: x log volume state alpha, below 0 for compacted matter.

// p0 = min(1e-5 + sinh(xi max(-alpha, 0)), cap), sinh(x) = (m + m / (m + 1)) / 2 with m = e^x - 1.
float nacc_crushing_pressure(uint c, float alpha) {
    float m = expm1_(min(constant(c, 3u) * max(-alpha, 0.0), 1.5));
    return min(1.0e-5 + 0.5 * (m + m / (m + 1.0)), constant(c, 5u));
}

// Tests tips before the ellipse (1 + 2 beta) q^2 + M^2 (p + beta p0)(p - p0) = 0, q = sqrt(3/2) mu / kappa |dev bb|. alpha gains
// the plastic volume change up to the pressure px: that of the tip, or where the line from the center of the ellipse to the
// trial state intersects the ellipse.
vec3 nacc_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {
    float beta = constant(c, 2u), slope = constant(c, 4u);
    float p0 = nacc_crushing_pressure(c, state.x);
    float lowest = -beta * p0;
    float theta = trace(hencky);
    float mean = theta * (1.0 / 3.0);
    float p = -0.5 * expm1_(2.0 * theta);
    vec3 e = hencky - mean;
    vec3 shape = expm1_(2.0 * e);
    vec3 d = deviator(shape);
    float q = constant(c, 9u) * length(d);
    float width = 1.0 + 2.0 * beta;
    float product = (p - lowest) * (p0 - p);
    bool at_tip = p > p0 || p < lowest;
    forget = 1.0;
    if (!at_tip && width * q * q <= slope * slope * product) return hencky;

    float centre = 0.5 * (p0 + lowest);
    float off_centre = slope * (p - centre);
    float reach = 0.5 * (p0 - lowest) * inversesqrt(off_centre * off_centre + width * q * q);
    float px = at_tip ? clamp(p, lowest, p0) : centre + reach * off_centre;
    // The floor is the last f32 above -1: without the cap of p0, px could reach 1/2, the pressure at J = 0.
    float theta_x = 0.5 * log1p_(max(-2.0 * px, -0.99999994));
    state.x += constant(c, 7u) * (theta - theta_x);
    forget = 0.0;
    if (at_tip) return vec3(theta_x * (1.0 / 3.0));

    float scale = slope * sqrt(product / width) / q;
    vec3 shorter = constant(c, 8u) != 0.0 ? 0.5 * log1p_(trace(shape) * (1.0 / 3.0) + scale * d)
                                          : unimodular_hencky(scale * shape);
    float size = length(e);
    forget = size < REST_STRAIN ? 1.0 : min(length(deviator(shorter)) / size, 1.0);
    return mean + shorter;
}

float nacc_energy(uint c, vec4 state, vec3 hencky) {
    return split_energy(constant(c, 0u), constant(c, 1u), hencky);
}

vec3 nacc_kirchhoff(uint c, vec4 state, vec3 hencky) {
    return split_kirchhoff(constant(c, 0u), constant(c, 1u), hencky);
}

vec2 nacc_moduli(uint c, vec4 state) {
    return vec2(constant(c, 0u), constant(c, 1u));
}
