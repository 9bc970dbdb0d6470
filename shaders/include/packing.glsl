// Volume of matter that flows without stress. Strain and volume ratio follow the velocity gradient, which does not see how particles settle between
// each other: what packs more densely than J says is compressed, at a rate that the flow sets, until its pressure opens it again.

// Density sum V0 W of p at the start of the substep [dimensionless]: what comes into the support during it would count by jumps.
float packing(uint p) {
    uvec2 range = neighbor_range(p);
    vec3 x = position(p).xyz;
    vec4 own = memory(p);
    float sum = own.w * kernel(0.0, push.kernel_radius);
    for (uint i = range.x; i < neighbor_end(range); ++i) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec4 other = memory(b);
        sum += other.w * kernel(length(position(b).xyz - x), push.kernel_radius);
    }
    return sum;
}

// Norm of the deviatoric strain of a displacement gradient.
float sheared(mat3 step) {
    mat3 d = 0.5 * (step + transpose(step));
    d -= (d[0][0] + d[1][1] + d[2][2]) / 3.0 * mat3(1.0);
    return sqrt(dot(d[0], d[0]) + dot(d[1], d[1]) + dot(d[2], d[2]));
}

// What to add to log J of p, which flows by the strain `flow` and would have the volume ratio J.
float packing_correction(uint p, uint body, float flow, float J) {
    if (!(J > 0.0)) return 0.0; // refused anyway
    float excess = log(packing(p) / packing_limit(body));
    float beyond = excess + log(J);
    if (!(excess > 0.0 && beyond > 0.0)) return 0.0;
    atomicAdd(status(COUNT_VOLUME_CORRECTED), 1u);
    return -(1.0 - exp(-PACKING_RATE * flow)) * beyond;
}
