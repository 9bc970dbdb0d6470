// State of a particle as seen by models of the tensor variant: carried along with the step, before any flow or relaxation.
#ifndef TUFF_TENSOR_POINT_GLSL
#define TUFF_TENSOR_POINT_GLSL
#include "symmetric.glsl"

// An elastic strain E = b - I: principal Hencky strains and directions (columns).
struct Stretch {
    vec3 hencky;
    mat3 axes;
};

struct TensorPoint {
    Stretch strain;
    Stretch branch;   // the second elastic strain; at rest unless a model asks for it
    mat3 deformation; // F; the identity unless a model asks for it
};

TensorPoint resting_point() {
    Stretch rest = Stretch(vec3(0.0), mat3(1.0));
    return TensorPoint(rest, rest, mat3(1.0));
}

#endif
