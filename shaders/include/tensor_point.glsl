// What models of the tensor variant see: everything carried along with the step, before anything flows or relaxes.
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
    Stretch branch;   // the second elastic strain; at rest where the model does not ask for it
    mat3 deformation; // F; the identity where the model does not ask for it
};

TensorPoint resting_point() {
    Stretch rest = Stretch(vec3(0.0), mat3(1.0));
    return TensorPoint(rest, rest, mat3(1.0));
}

#endif
