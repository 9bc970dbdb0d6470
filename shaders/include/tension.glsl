// Surface tension: the energy s / 2 V D^2 of what the neighborhood of a fluid's particle lacks (engine/problem/src/tension.rs).

#include "cohesion.glsl"

const float SURROUND = 0.12533452; // 63 / (160 pi)

// Returns the kernel of the neighborhood [1/m^3].
float surround(float distance) {
    float r = push.kernel_radius, q = min(0.5 * distance / r, 1.0), q2 = q * q;
    return SURROUND / (r * r * r) * (1.0 - q2 * q2 * (15.0 - q * (24.0 - 10.0 * q)));
}

// Returns its derivative without the sign, over the distance [1/m^5].
float surround_pull(float distance) {
    float r = push.kernel_radius, q = min(0.5 * distance / r, 1.0), r2 = r * r;
    return 15.0 * SURROUND / (r2 * r2 * r) * q * q * (1.0 - q) * (1.0 - q);
}

// Returns the fraction of its integral beyond a plane at a distance of at least 0 [m].
float lacking_beyond(float distance) {
    float u = max(1.0 - 0.5 * distance / push.kernel_radius, 0.0), u2 = u * u;
    return u2 * u2 * u * (252.0 - u * (546.0 - u * (486.0 - u * (207.0 - 35.0 * u)))) / 40.0;
}

// Returns the derivative of this by the way towards the plane [1/m].
float lacking_slope(float distance) {
    float r = push.kernel_radius, t = min(0.5 * distance / r, 1.0), u2 = (1.0 - t) * (1.0 - t);
    return 0.1125 / r * u2 * u2 * (5.0 + t * (20.0 + t * (36.0 + t * (44.0 + 35.0 * t))));
}

// Returns 0 if a fluid seeps through other matter, otherwise 1.
float filled_part(uint fluid, uint other) {
#ifdef MIXTURES
    return pores_of(fluid, other).x < 0.0 ? 1.0 : 0.0;
#else
    return 1.0;
#endif
}
