// The velocity that external forces alone give to a particle.

// Returns it for the velocity `fall` that gravity adds in the substep.
vec3 predicted(uint p, vec3 fall) {
    vec3 v = velocity_start(p).xyz + fall;
#ifdef TENSION
    v += surface_pull(p).xyz;
#endif
    return v;
}
