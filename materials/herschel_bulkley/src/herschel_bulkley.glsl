// Herschel-Bulkley flow on split neo-Hookean elasticity, bb_i = exp(2 e_i), stresses in units of mu.
// Constants: 0 mu, 1 kappa, 2 r = sqrt(2/3) sigma_Y / mu, 3 n = 1 / h, 4 n ln(mu / eta). No state.

// ln y of the root of y + e^k y^n = 1. In v = ln y the equation is ln(e^v + e^(k + n v)) = 0: convex, slopes between 1 and n, at
// most ln 2 above 0 at the start, where the larger term is 1. Two Halley steps reach 2e-7 for 1/5 <= n <= 5 and 4e-5 for
// 1/10 <= n <= 10, for every k.
float herschel_bulkley_log_share(float k, float n) {
    float v = min(-k / n, 0.0);
    for (int i = 0; i < 2; ++i) {
        float power = k + n * v;
        float rest = exp(-abs(v - power));
        float weight = (power > v ? 1.0 : rest) / (1.0 + rest);
        float value = max(v, power) + log1p_(rest);
        float slope = 1.0 + (n - 1.0) * weight;
        float bend = (n - 1.0) * (n - 1.0) * weight * (1.0 - weight);
        v -= value * slope / (slope * slope - 0.5 * value * bend);
    }
    return v;
}

// s = |dev bb| beyond r returns to r + z with z + 2 tr(bb)/3 dt (mu z / eta)^n = s - r.
vec3 herschel_bulkley_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {
    float radius = constant(c, 2u), n = constant(c, 3u);
    float mean = trace(hencky) * (1.0 / 3.0);
    vec3 e = hencky - mean;
    vec3 shape = expm1_(2.0 * e);
    float third = trace(shape) * (1.0 / 3.0);
    float size = length(shape - third);
    float excess = size - radius;
    forget = 1.0;
    if (excess <= 0.0) return hencky;

    float k = log(2.0 * (1.0 + third) * max(dt, 1.0e-30)) + constant(c, 4u) + (n - 1.0) * log(excess);
    float scale = (radius + excess * exp(herschel_bulkley_log_share(k, n))) / size;
    vec3 shorter = unimodular_hencky(scale * shape);
    float trial = length(e);
    forget = trial < REST_STRAIN ? 1.0 : min(length(shorter) / trial, 1.0);
    return mean + shorter;
}

float herschel_bulkley_energy(uint c, vec4 state, vec3 hencky) {
    return split_energy(constant(c, 0u), constant(c, 1u), hencky);
}

vec3 herschel_bulkley_kirchhoff(uint c, vec4 state, vec3 hencky) {
    return split_kirchhoff(constant(c, 0u), constant(c, 1u), hencky);
}

vec2 herschel_bulkley_moduli(uint c, vec4 state) {
    return vec2(constant(c, 0u), constant(c, 1u));
}
