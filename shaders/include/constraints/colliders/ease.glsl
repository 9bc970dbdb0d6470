// How far an impulse on a single particle moves it within a Newton solve or after it.

// Returns the mass of p over its block, which is inverted by now.
float share_of_mass(uint p, float inverse_mass) {
    vec4 inverted = preconditioner_diagonal(p);
    // Precise, because bits would otherwise depend on how a driver reaches the buffer.
    precise float share = (inverted.x + inverted.y + inverted.z) / (3.0 * inverse_mass);
    return share;
}

// Returns the fraction of an impulse on p that changes its velocity at once: its mass over its block in stiff matter, where the
// neighbors stand still; in softer matter the neighbors follow, and the fraction is 1.
float ease(uint p, float inverse_mass) {
    precise float eased = share_of_mass(p, inverse_mass);
    float stiff = log(eased * EASING_FROM) / log(EASING_FROM / EASING_TO);
    return pow(eased, clamp(stiff, 0.0, 1.0));
}

// Returns the fraction of a push after a Newton solve that p follows within the substep.
float followed(uint p, float inverse_mass) {
#ifdef CONTRAST
    return min(1.0, share_of_mass(p, inverse_mass));
#else
    return ease(p, inverse_mass);
#endif
}
