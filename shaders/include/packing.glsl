// Volume of matter that flows. Strain and volume ratio follow the velocity gradient, which does not see how particles settle between each other:
// what packs more densely than J says is compressed, as fast as it moves in ways that the gradient does not see, until its pressure opens it again;
// and where it bears no stress, pairs that these moves bring together are parted.

struct Packing {
    float density;    // sum V0 W at the start of the substep [dimensionless]: what comes into the support during it would count by jumps
    float non_affine; // root mean square of what the displacement gradient does not say of the neighbors' moves, in parts of their distance
    vec3 spread;      // displacement out of pairs that are nearer than on a lattice [m]
};

// Sum and length, rounded alike wherever they are compiled. A function: in the expressions of buffers, `precise` brings the compiler down.
vec3 exact_plus(vec3 a, vec3 b) { precise vec3 sum = a + b; return sum; }
float exact_length(vec3 a) { precise float squared = a.x * a.x + a.y * a.y + a.z * a.z; return sqrt(squared); }

// Packing of p, of this rest volume and velocity v, which moves by the displacement gradient `step`.
Packing packing(uint p, float volume, vec4 v, mat3 step) {
    uvec2 range = neighbor_range(p);
    vec3 x = position(p).xyz;
    Packing found = Packing(volume * kernel(0.0, push.kernel_radius), 0.0, vec3(0.0));
    float moved = 0.0, reach = 0.0;
    float own = contact_radius(volume);
    for (uint i = range.x; i < neighbor_end(range); ++i) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec4 remembered = memory(b);
        float other = rest_volume_of(remembered);
        vec4 vb = velocity(b);
        vec3 d = position(b).xyz - x;
        vec3 change = push.dt * (vb.xyz - v.xyz);
        vec3 departure = change - step * d;
        float weight = other * kernel(length(d), push.kernel_radius);
        found.density += weight;
        moved += weight * dot(departure, departure);
        reach += weight * dot(d, d);
        vec3 then = exact_plus(d, change);
        float distance = exact_length(then);
        float lacking = own + contact_radius(other) - distance;
        if (lacking > 0.0 && distance > 0.0 && inverse_mass_of(v) > 0.0) {
            float part = min(SPREAD_RATE * length(departure) / distance, SPREAD_MAX);
            found.spread -= then * (part * lacking / distance * inverse_mass_of(v) / (inverse_mass_of(v) + inverse_mass_of(vb)));
        }
    }
    if (reach > 0.0) found.non_affine = sqrt(moved / reach);
    return found;
}

// Part in which matter that keeps the part `forget` of its deviator flows without stress.
float looseness(float forget) { return max(0.0, 1.0 - forget / LOOSE_BELOW); }

// Part in which loose matter of volume ratio J is open, so that its pairs are parted.
float openness(float J) { return J > 1.0 ? min(log(J) / SPREAD_OPEN, 1.0) : 0.0; }

// What to add to log J of matter of this packing that flows freely and would have the volume ratio J.
float packing_correction(uint body, Packing found, float J) {
    float excess = log(found.density / packing_limit(body));
    float beyond = excess + log(J);
    // What folds is refused anyway.
    if (!(J > 0.0 && excess > 0.0 && beyond > 0.0)) return 0.0;
    float gravity = length(vec3(push.gravity_x, push.gravity_y, push.gravity_z));
    float rest = REST_MOVE * gravity * push.dt * push.dt / push.kernel_radius;
    float moved = max(found.non_affine - rest, 0.0);
    if (moved > 0.0) atomicAdd(status(COUNT_VOLUME_CORRECTED), 1u);
    return -(1.0 - exp(-PACKING_RATE * moved)) * beyond;
}
