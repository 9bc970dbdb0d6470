// The law in f32: the same formulas as the f64 code, checked against it by `tuff material eval`.
// Constants: 0 mu [Pa], 1 kappa [Pa], 2 yield strain r [-]. No state.
// `hencky` are the logarithms of the principal stretches. Helpers such as deviator and hencky_energy come with Tuff: HELPERS.md lists them.

// eps' = theta/3 + e min(1, r / |e|): the deviator e goes straight back to the cap, the volume stays.
vec3 @id@_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {
    vec3 e = deviator(hencky);
    float size = length(e);
    float r = constant(c, 2u);
    bool yields = size > r;
    float scale = yields ? r / size : 1.0;
    // How much of the memory of non-affine motion survives: what flows forgets.
    forget = size < REST_STRAIN ? 1.0 : scale;
    return yields ? trace(hencky) * (1.0 / 3.0) + scale * e : hencky;
}

// Psi = mu |e|^2 + kappa/2 theta^2: zero at rest, nowhere negative.
float @id@_energy(uint c, vec4 state, vec3 hencky) {
    return hencky_energy(constant(c, 0u), constant(c, 1u), hencky);
}

// tau_i = d Psi / d eps_i = 2 mu e_i + kappa theta.
vec3 @id@_kirchhoff(uint c, vec4 state, vec3 hencky) {
    return hencky_kirchhoff(constant(c, 0u), constant(c, 1u), hencky);
}

vec2 @id@_moduli(uint c, vec4 state) {
    return vec2(constant(c, 0u), constant(c, 1u));
}
