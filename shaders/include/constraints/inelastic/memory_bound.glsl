// Bound of the zero-energy memory of a particle.

#include "generated/constants.glsl"

// Returns the largest non-affine displacement to which the memory may respond [m]: its strain, sqrt(k_s / 2) |h| / r, is at most the
// deviator that the material carries at its present volume. To find this deviator, a strain far beyond it, held for a thousand
// substeps, is projected.
float bound_of(uint material, vec4 words, vec3 hencky) {
    float mean = (hencky.x + hencky.y + hencky.z) / 3.0;
    vec3 direction = hencky - mean;
    float size = length(direction);
    direction = size < REST_STRAIN ? vec3(0.70710678, -0.70710678, 0.0) : direction / size;
    float kept;
    material_project(material, words, PROBE_TIME * push.dt, mean + PROBE_STRAIN * direction, kept);
    return kept >= 1.0 || push.stabilization == 0.0 ? UNBOUNDED : kept * PROBE_STRAIN * sqrt(2.0 / push.stabilization) * push.kernel_radius;
}
