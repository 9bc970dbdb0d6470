// Linearized response of a particle: isotropic, with the secants of the step's stress as moduli, or those of the change since the last
// evaluation of the solve if these are stiffer.

#include "constraints/inelastic/block.glsl"
#include "generated/constants.glsl"

float secant(float stress, float strain, float elastic) {
    return abs(strain) < STRAINLESS ? elastic : clamp(stress / strain, SOFTEST * elastic, elastic);
}

// Returns the norm of the deviator, and the mean.
vec2 parts_of(Symmetric t) {
    float mean = (t.diagonal.x + t.diagonal.y + t.diagonal.z) / 3.0;
    vec3 d = t.diagonal - mean;
    return vec2(sqrt(dot(d, d) + 2.0 * dot(t.shear, t.shear)), mean);
}

Tangent linearized(Response r, float rest_volume, float stiffness, float size, float bound) {
    float volume = rest_volume * push.dt * push.dt;
    Tangent t;
    t.inverse = transpose(r.pull);
    t.shear = volume * secant(r.tau.x, 2.0 * r.strain.x, r.moduli.x);
    t.bulk = volume * secant(r.tau.y, 3.0 * r.strain.y, r.moduli.y);
    t.memory = push.dt * push.dt * clamp(bound / max(size, 1e-30), SOFTEST, 1.0) * stiffness;
    return t;
}

void keep_tangent(uint p, Tangent t) {
    tangent_x(p) = vec4(t.inverse[0], t.shear);
    tangent_y(p) = vec4(t.inverse[1], t.bulk);
    tangent_z(p) = vec4(t.inverse[2], t.memory);
}

// Stiffens the tangent by the secants since the last evaluation, whose tangent and stress the particle stores.
void look_back(uint p, Response r, float rest_volume, inout Tangent t) {
    Tangent last = kept_tangent(p);
    vec4 diagonal = newton_stress_diagonal(p), shear = newton_stress_shear(p);
    vec2 strain = parts_of(to_symmetric(r.A * last.inverse - mat3(1.0)));
    vec2 stress = parts_of(Symmetric(r.kirchhoff.diagonal - diagonal.xyz, r.kirchhoff.shear - shear.xyz));
    float volume = rest_volume * push.dt * push.dt;
    t.shear = max(t.shear, FADE * last.shear);
    t.bulk = max(t.bulk, FADE * last.bulk);
    if (strain.x >= UNCHANGED) t.shear = max(t.shear, volume * secant(stress.x, 2.0 * strain.x, r.moduli.x));
    if (abs(strain.y) >= UNCHANGED) t.bulk = max(t.bulk, volume * secant(stress.y, 3.0 * strain.y, r.moduli.y));
}

// Returns V0 dt^2 d tau A^-T for the change `gradient` of grad v.
mat3 linear_stress(Tangent t, mat3 gradient) {
    mat3 rate = gradient * t.inverse;
    float spherical = (rate[0][0] + rate[1][1] + rate[2][2]) / 3.0;
    mat3 tau = t.shear * (rate + transpose(rate)) + mat3((3.0 * t.bulk - 2.0 * t.shear) * spherical);
    return tau * transpose(t.inverse);
}
