// Too-close pairs in the force balance of a Newton solve: springs nearly as stiff as the matter itself. A pair is too close if it would
// end the substep closer than the least distance and than at its start.

struct NearPush {
    vec3 normal;     // to the other particle
    float lacking;   // distance that the pair lacks at the end of the substep [m], if positive
    float stiffness; // fraction of the kernel radius times the harmonic mean of the moduli of uniaxial strain [N/m]
};

// Returns the action of a pair on p. `before`: offset of b from p at the start of the substep [m]; `v`: velocity of b relative to p
// [m/s]. newton_pass stores the moduli in w of the stress.
NearPush pushed(uint p, uint b, vec3 before, vec3 v) {
    vec3 apart = before + push.dt * v;
    float distance = length(apart);
    vec4 here = newton_stress_diagonal(p), there = newton_stress_diagonal(b);
    float own = uniaxial_modulus_of(here), other = uniaxial_modulus_of(there);
    return NearPush(apart / max(distance, 1e-30), min(push.min_distance, length(before)) - distance,
                    2.0 * NEAR_STIFFNESS * push.kernel_radius * own * other / max(own + other, 1e-30));
}
