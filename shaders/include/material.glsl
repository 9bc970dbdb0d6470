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

// x with product(x + d) = 1 for trace-free d and x + d > 0: the largest root of x^3 - |d|^2/2 x + d1 d2 d3 - 1 = 0.
// With x = 2 r cosh(a), r = |d| / sqrt(6), it is cosh(3a) = c = (1 - d1 d2 d3) / (2 r^3), or cos where c < 1; one Newton
// step removes the rounding of that.
float unimodular_shift(vec3 d) {
    float half_square = 0.5 * dot(d, d);
    float r = sqrt(half_square * (1.0 / 3.0));
    float q = 1.0 - d.x * d.y * d.z;
    if (r < 1.0e-3) {
        return 1.0 + half_square * (1.0 / 3.0);
    }
    float c = q / (2.0 * r * r * r);
    float x = c >= 1.0 ? 2.0 * r * cosh(acosh(c) * (1.0 / 3.0)) : 2.0 * r * cos(acos(max(c, -1.0)) * (1.0 / 3.0));
    float slope = 3.0 * x * x - half_square;
    return x - ((x * x - half_square) * x - q) / max(slope, 1.0e-6);
}

// Share of the remembered non-affine displacement that survives a projection away from a tip:
// min(1, |dev projected| / |dev trial|), and 1 where the trial strain has practically no deviator.
float forget_factor(vec3 trial, vec3 projected) {
    float size = length(deviator(trial));
    return size < REST_STRAIN ? 1.0 : min(1.0, length(deviator(projected)) / size);
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

#endif
