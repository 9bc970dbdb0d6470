// The elastic strain E = b - I under a velocity gradient, and its principal values.

#include "generated/constants.glsl"

struct Trial {
    mat3 A;        // I + dt grad v
    float det;     // of A
    mat3 axes;     // principal directions, columns
    vec3 stretch2; // squared principal stretches
    vec3 hencky;   // principal Hencky strains
    bool clamped;
};

float determinant_of(mat3 m) { return dot(m[0], cross(m[1], m[2])); }

// Scales dt grad v back if the step would fold the neighborhood; returns whether it did. The commit does so only for separated matter:
// elsewhere a substep that folds is repeated in two halves.
bool limit_fold(inout mat3 step) {
    if (determinant_of(mat3(1.0) + step) >= FOLD_DETERMINANT) return false;
    float size = sqrt(dot(step[0], step[0]) + dot(step[1], step[1]) + dot(step[2], step[2]));
    step *= min(1.0, FOLD_LIMIT / size);
    return true;
}

Trial trial_strain(Symmetric E, mat3 step) {
    Trial t;
    t.A = mat3(1.0) + step;
    t.det = determinant_of(t.A);
    mat3 e = to_matrix(E);
    mat3 half_way = step * e;
    mat3 linear = half_way + transpose(half_way) + step + transpose(step);
    mat3 quadratic = half_way * transpose(step) + step * transpose(step);
    vec3 w;
    eigen(to_symmetric(e + linear + quadratic), w, t.axes);
    vec3 bounded = clamp(w, vec3(STRETCH2_MIN - 1.0), vec3(STRETCH2_MAX - 1.0));
    t.clamped = any(notEqual(bounded, w));
    t.stretch2 = 1.0 + bounded;
    t.hencky = 0.5 * log1p_(bounded);
    return t;
}

// A^-T.
mat3 inverse_transpose(mat3 A, float det) {
    return mat3(cross(A[1], A[2]), cross(A[2], A[0]), cross(A[0], A[1])) * (1.0 / det);
}
