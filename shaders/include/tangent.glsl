// The linearized response of a particle: isotropic, with the secants of the step's stress for moduli.

const float SOFTEST = 0.1;     // least part of the elastic moduli
const float STRAINLESS = 1e-7; // principal strains below this have no secant

struct Tangent {
    mat3 inverse; // A^-1
    float shear;  // V0 dt^2 times the shear modulus [N m s^2]
    float bulk;   // V0 dt^2 times the bulk modulus [N m s^2]
    float memory; // dt^2 beta of the memory [kg]
};

float secant(float stress, float strain, float elastic) {
    return abs(strain) < STRAINLESS ? elastic : clamp(stress / strain, SOFTEST * elastic, elastic);
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
    impulse_x(p) = vec4(t.inverse[0], t.shear);
    impulse_y(p) = vec4(t.inverse[1], t.bulk);
    impulse_z(p) = vec4(t.inverse[2], t.memory);
}

Tangent kept_tangent(uint p) {
    vec4 x = impulse_x(p), y = impulse_y(p), z = impulse_z(p);
    return Tangent(mat3(x.xyz, y.xyz, z.xyz), x.w, y.w, z.w);
}

// d tau A^-T for the change `gradient` of grad v, times V0 dt^2.
mat3 linear_stress(Tangent t, mat3 gradient) {
    mat3 rate = gradient * t.inverse;
    float spherical = (rate[0][0] + rate[1][1] + rate[2][2]) / 3.0;
    mat3 tau = t.shear * (rate + transpose(rate)) + mat3((3.0 * t.bulk - 2.0 * t.shear) * spherical);
    return tau * transpose(t.inverse);
}
