// Volume of flowing matter. Strain and volume ratio follow the velocity gradient, which does not see how particles settle between each
// other. Matter packed more densely than J says is compressed, at the rate at which it moves in ways that the gradient does not see,
// until its pressure opens it again; where it carries no stress, pairs brought together by such moves are separated.

struct Packing {
    float density;    // sum V0 W at the start of the substep [dimensionless]: particles that enter during it would count abruptly
    float non_affine; // rms displacement of the neighbors beyond the displacement gradient, relative to their rms distance
    vec3 spread;      // displacement out of pairs that are closer than on a lattice [m]
};

// Sum and length, rounded identically at every use. Functions, because `precise` in expressions with buffers crashes the compiler.
vec3 exact_plus(vec3 a, vec3 b) { precise vec3 sum = a + b; return sum; }
float exact_length(vec3 a) { precise float squared = a.x * a.x + a.y * a.y + a.z * a.z; return sqrt(squared); }

// Returns the packing of p, which has rest volume `volume` [m^3] and velocity v and moves by the displacement gradient `step`.
Packing packing(uint p, float volume, vec4 v, mat3 step) {
    uvec2 range = neighbor_range(p);
    vec3 x = position(p).xyz;
    Packing found = Packing(volume * kernel(0.0, push.kernel_radius), 0.0, vec3(0.0));
    float moved = 0.0, reach = 0.0;
    float own = contact_radius(volume);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec4 xb = position(b);
        if (elastic_volume_of(xb) < 0.0) continue; // a fluid
        vec4 remembered = memory(b);
        float other = rest_volume_of(remembered);
        vec4 vb = velocity(b);
        vec3 d = xb.xyz - x;
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

// Returns the degree to which matter that keeps the fraction `forget` of its deviator flows without stress.
float looseness(float forget) { return max(0.0, 1.0 - forget / LOOSE_BELOW); }

// Returns the degree to which loose matter of volume ratio J is open, so that its pairs are separated.
float openness(float J) { return J > 1.0 ? min(log(J) / SPREAD_OPEN, 1.0) : 0.0; }

// Returns what to add to log J of freely flowing matter with this packing, whose volume ratio would otherwise be J.
float packing_correction(uint body, Packing found, float J) {
    float excess = log(found.density / packing_limit(body));
    float beyond = excess + log(J);
    // Folded matter is rejected anyway.
    if (!(J > 0.0 && excess > 0.0 && beyond > 0.0)) return 0.0;
    float gravity = length(vec3(push.gravity_x, push.gravity_y, push.gravity_z));
    float rest = REST_MOVE * gravity * push.dt * push.dt / push.kernel_radius;
    float moved = max(found.non_affine - rest, 0.0);
    if (moved > 0.0) atomicAdd(status(COUNT_VOLUME_CORRECTED), 1u);
    return -(1.0 - exp(-PACKING_RATE * moved)) * beyond;
}
