// The velocity that external forces alone give to a particle.

// Returns it for the velocity `fall` that gravity adds in the substep.
vec3 predicted(uint p, vec3 fall) {
    vec3 v = velocity_start(p).xyz + fall;
#if defined(TENSION) || defined(MIXTURES)
    vec4 added = added_velocity(p);
    v += added.xyz;
#endif
    return v;
}
