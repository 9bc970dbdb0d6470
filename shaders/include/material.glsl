// Formulas that material models share, in f32. Principal values are vec3; GLSL 4.50 or later.
#ifndef TUFF_MATERIAL_GLSL
#define TUFF_MATERIAL_GLSL

// Deviatoric trial strain below which nothing is forgotten [-].
const float REST_STRAIN = 1.0e-7;

float trace(vec3 v) {
    return v.x + v.y + v.z;
}

vec3 deviator(vec3 v) {
    return v - trace(v) * (1.0 / 3.0);
}

// x^2/2 + x^3/6 + ... + x^8/40320: h(x) = e^x - 1 - x for |x| < 0.3 without cancellation.
vec3 exp_remainder_series(vec3 x) {
    vec3 tail = 1.0 + x * (1.0 / 7.0) * (1.0 + x * (1.0 / 8.0));
    tail = 1.0 + x * (1.0 / 5.0) * (1.0 + x * (1.0 / 6.0) * tail);
    tail = 1.0 + x * (1.0 / 3.0) * (1.0 + x * (1.0 / 4.0) * tail);
    return 0.5 * x * x * tail;
}

float exp_remainder_series(float x) {
    float tail = 1.0 + x * (1.0 / 7.0) * (1.0 + x * (1.0 / 8.0));
    tail = 1.0 + x * (1.0 / 5.0) * (1.0 + x * (1.0 / 6.0) * tail);
    tail = 1.0 + x * (1.0 / 3.0) * (1.0 + x * (1.0 / 4.0) * tail);
    return 0.5 * x * x * tail;
}

// h(x) = e^x - 1 - x >= 0, accurate near 0.
vec3 exp_remainder(vec3 x) {
    return mix(exp(x) - 1.0 - x, exp_remainder_series(x), lessThan(abs(x), vec3(0.3)));
}

float exp_remainder(float x) {
    return abs(x) < 0.3 ? exp_remainder_series(x) : exp(x) - 1.0 - x;
}

// e^x - 1, accurate near 0.
vec3 expm1_(vec3 x) {
    return mix(exp(x) - 1.0, x + exp_remainder_series(x), lessThan(abs(x), vec3(0.3)));
}

float expm1_(float x) {
    return abs(x) < 0.3 ? x + exp_remainder_series(x) : exp(x) - 1.0;
}

// ln(1 + x) for x > -1, accurate near 0. With 1 + x = m 2^n, sqrt(1/2) <= m < sqrt(2) and t = (m - 1) / (m + 1) it is
// n ln 2 + 2 (t + t^3/3 + t^5/5 + ...); for n = 0, m - 1 is x itself.
vec3 log1p_(vec3 x) {
    ivec3 bits = floatBitsToInt(1.0 + x);
    ivec3 n = (bits - 0x3f3504f3) >> 23;
    vec3 m1 = mix(intBitsToFloat(bits - (n << 23)) - 1.0, x, equal(n, ivec3(0)));
    vec3 t = m1 / (2.0 + m1);
    vec3 s = t * t;
    vec3 tail = s * (1.0 / 3.0 + s * (1.0 / 5.0 + s * (1.0 / 7.0 + s * (1.0 / 9.0))));
    return vec3(n) * 0.69314718 + 2.0 * (t + t * tail);
}

float log1p_(float x) {
    int bits = floatBitsToInt(1.0 + x);
    int n = (bits - 0x3f3504f3) >> 23;
    float m1 = n == 0 ? x : intBitsToFloat(bits - (n << 23)) - 1.0;
    float t = m1 / (2.0 + m1);
    float s = t * t;
    float tail = s * (1.0 / 3.0 + s * (1.0 / 5.0 + s * (1.0 / 7.0 + s * (1.0 / 9.0))));
    return float(n) * 0.69314718 + 2.0 * (t + t * tail);
}

// Returns the deviatoric Hencky strain e whose unimodular bb = exp(2 e) has the deviator of b. With t the smallest value of bb and
// g >= 0 the differences of b from its smallest value, t (t + g1) (t + g2) = 1 holds, and nothing cancels. Two Halley steps from
// ((1 + g1)(1 + g2))^(-1/2) reach 2e-8 for stretches that differ by up to a factor of 3, and 1e-6 up to a factor of 100.
vec3 unimodular_hencky(vec3 b) {
    vec3 g = b - min(b.x, min(b.y, b.z));
    float t = inversesqrt((1.0 + g.x) * (1.0 + g.y) * (1.0 + g.z));
    for (int i = 0; i < 2; ++i) {
        b = t + g;
        float excess = b.x * b.y * b.z - 1.0;
        float slope = b.x * b.y + b.y * b.z + b.z * b.x;
        t -= excess * slope / (slope * slope - excess * trace(b));
    }
    return deviator(0.5 * log1p_((t - 1.0) + g));
}

// Returns the fraction of the remembered non-affine displacement that survives a projection away from a tip:
// min(1, |dev projected| / |dev trial|), or 1 if the trial strain has practically no deviator: the deviator of equal strains is
// rounding, up to 1e-7 of their sum.
float forget_factor(vec3 trial, vec3 projected) {
    float size = length(deviator(trial));
    return size < REST_STRAIN * (1.0 + 2.0 * abs(trace(trial))) ? 1.0 : min(1.0, length(deviator(projected)) / size);
}

// Hencky energy mu |e|^2 + kappa/2 theta^2 [Pa].
float hencky_energy(float mu, float kappa, vec3 hencky) {
    float theta = trace(hencky);
    vec3 e = hencky - theta * (1.0 / 3.0);
    return mu * dot(e, e) + 0.5 * kappa * theta * theta;
}

// Principal Kirchhoff stresses of the Hencky model, 2 mu e_i + kappa theta [Pa].
vec3 hencky_kirchhoff(float mu, float kappa, vec3 hencky) {
    float theta = trace(hencky);
    return 2.0 * mu * (hencky - theta * (1.0 / 3.0)) + kappa * theta;
}

// Split neo-Hookean energy mu/2 sum h(2 e_i) + kappa/4 h(2 theta), h(x) = e^x - 1 - x [Pa].
float split_energy(float mu, float kappa, vec3 hencky) {
    float theta = trace(hencky);
    float shape = trace(exp_remainder(2.0 * (hencky - theta * (1.0 / 3.0))));
    return 0.5 * mu * shape + 0.25 * kappa * exp_remainder(2.0 * theta);
}

// Principal Kirchhoff stresses of the split neo-Hookean model, mu dev(bb)_i + kappa/2 (J^2 - 1) [Pa].
vec3 split_kirchhoff(float mu, float kappa, vec3 hencky) {
    float theta = trace(hencky);
    vec3 shape = expm1_(2.0 * (hencky - theta * (1.0 / 3.0)));
    return mu * deviator(shape) + 0.5 * kappa * expm1_(2.0 * theta);
}

#endif
