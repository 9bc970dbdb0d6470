// Wendland C2 smoothing kernel in three dimensions with support 2r:
// W(d) = 21 / (16 pi r^3) (1 - q/2)^4 (1 + 2q), q = |d| / r, integral 1.

const float WENDLAND = 0.4177817256; // 21 / (16 pi)

// Fraction W(d) / W(0) [dimensionless]; 0 beyond the support.
float kernel_fraction(float q) {
    float u = max(1.0 - 0.5 * q, 0.0);
    float u2 = u * u;
    return u2 * u2 * (1.0 + 2.0 * q);
}

// W(d) [1/m^3].
float kernel(float distance, float radius) {
    return WENDLAND / (radius * radius * radius) * kernel_fraction(distance / radius);
}

// -W'(|d|) / |d| [1/m^5]: the factor that turns d_b = x_b - x_p into grad_p W; finite at d = 0.
float kernel_slope(float distance, float radius) {
    float u = max(1.0 - 0.5 * distance / radius, 0.0);
    float r2 = radius * radius;
    return 5.0 * WENDLAND / (r2 * r2 * radius) * u * u * u;
}
