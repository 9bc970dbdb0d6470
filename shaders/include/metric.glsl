// Distances as they were before the elastic strain: |d'|^2 = d . (I + E)^-1 d. Kernels that are recomputed in stretched
// matter amplify the pairing of its layers; in this frame they do not see the stretch (engine/solver/METHOD.md).

// N = (I + E)^-1 - I.
Symmetric metric_of(uint p) {
    return Symmetric(metric_diagonal(p).xyz, metric_shear(p).xyz);
}

// |d'|^2 [m^2].
float unstrained2(Symmetric N, vec3 d) {
    return max(dot(d, d) + dot(d, apply(N, d)), 0.0);
}
