// Volume of matter that flows without stress. Strain and volume ratio follow the velocity gradient, which does not see how particles settle between each other:
// what packs more densely than J says is compressed, as fast as it moves in ways that the gradient does not see, until its pressure opens it again.

// Density sum V0 W of p at the start of the substep [dimensionless]: what comes into the support during it would count by jumps. And the
// root mean square, over the same neighbors, of what the displacement gradient `step` does not say of their moves, in parts of their distance.
vec2 packing(uint p, mat3 step) {
    uvec2 range = neighbor_range(p);
    vec3 x = position(p).xyz;
    vec3 v = velocity(p).xyz;
    vec4 remembered = memory(p);
    float own = remembered.w * kernel(0.0, push.kernel_radius);
    float sum = 0.0, moved = 0.0, reach = 0.0;
    for (uint i = range.x; i < neighbor_end(range); ++i) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec4 other = memory(b);
        vec3 d = position(b).xyz - x;
        vec3 departure = push.dt * (velocity(b).xyz - v) - step * d;
        float weight = other.w * kernel(length(d), push.kernel_radius);
        sum += weight;
        moved += weight * dot(departure, departure);
        reach += weight * dot(d, d);
    }
    return vec2(own + sum, reach > 0.0 ? sqrt(moved / reach) : 0.0);
}

// What to add to log J of p, which moves by the displacement gradient `step` and would have the volume ratio J.
float packing_correction(uint p, uint body, mat3 step, float J) {
    if (!(J > 0.0)) return 0.0; // refused anyway
    vec2 found = packing(p, step);
    float excess = log(found.x / packing_limit(body));
    float beyond = excess + log(J);
    if (!(excess > 0.0 && beyond > 0.0)) return 0.0;
    atomicAdd(status(COUNT_VOLUME_CORRECTED), 1u);
    return -(1.0 - exp(-PACKING_RATE * found.y)) * beyond;
}
