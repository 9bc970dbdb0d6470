// How far an impulse on a single particle moves it within a Newton solve or after it.

// Returns the mass of p over its block, which is inverted by now.
float share_of_mass(uint p, float inverse_mass) {
    vec4 inverted = preconditioner_diagonal(p);
    // Precise, because bits would otherwise depend on how a driver reaches the buffer.
    precise float share = (inverted.x + inverted.y + inverted.z) / (3.0 * inverse_mass);
    return share;
}

// Returns the fraction of an impulse on a particle that changes its velocity at once, from its mass over its block: all of it as long as
// the block is less than `from` masses, since the neighbors follow, and its share if it is more than `to`.
float eased(float share, float from, float to) {
    float stiff = log(share * from) / log(from / to);
    return pow(share, clamp(stiff, 0.0, 1.0));
}

// Returns that fraction within a Newton solve.
float ease(uint p, float inverse_mass) {
    precise float share = share_of_mass(p, inverse_mass);
    return eased(share, EASING_FROM, EASING_TO);
}

// Returns the fraction of a push after the solve that p follows within the substep.
float followed(uint p, float inverse_mass) {
#ifdef CONTRAST
    return min(1.0, share_of_mass(p, inverse_mass));
#else
    return ease(p, inverse_mass);
#endif
}
