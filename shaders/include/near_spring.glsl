// Pairs that would come too near to each other, or nearer where they are too near already, in the force balance of a Newton solve:
// springs nearly as stiff as the matter itself.

struct NearPush {
    vec3 normal;     // to the other particle
    float lacking;   // part of its least distance that the pair lacks at the end of the substep [m], if more than 0
    float stiffness; // part of the kernel radius times the harmonic mean of the moduli of uniaxial strain [N/m]
};

// `before`: to the other particle at the start of the substep, `v`: velocity of the other one relative to this one. newton_pass
// keeps the moduli in w of the stress.
NearPush pushed(uint p, uint b, vec3 before, vec3 v) {
    vec3 apart = before + push.dt * v;
    float distance = length(apart);
    vec4 here = newton_stress_diagonal(p), there = newton_stress_diagonal(b);
    float own = uniaxial_modulus_of(here), other = uniaxial_modulus_of(there);
    return NearPush(apart / max(distance, 1e-30), min(push.min_distance, length(before)) - distance,
                    2.0 * NEAR_STIFFNESS * push.kernel_radius * own * other / max(own + other, 1e-30));
}
