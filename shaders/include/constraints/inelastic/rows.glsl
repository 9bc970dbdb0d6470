// Constraint rows of one particle: the zero-energy memory and the inelastic constraint (eq. 9-14, 17-19; engine/solver/METHOD.md).
// Shared by the sweeps, the force residual, the Newton passes and the commit.

#include "generated/constants.glsl"

layout(constant_id = 1) const uint LANES = 1u;         // invocations that share a particle's neighbors
layout(constant_id = 2) const bool IMPLICIT = true;
layout(constant_id = 3) const bool LITERAL = false;
layout(constant_id = 4) const bool TENSOR = false;
layout(constant_id = 5) const bool MEMORY = true;

float group_sum(float x) {
    for (uint step = 1u; step < LANES; step *= 2u) x += subgroupShuffleXor(x, step);
    return x;
}

vec3 group_sum(vec3 x) {
    for (uint step = 1u; step < LANES; step *= 2u) x += subgroupShuffleXor(x, step);
    return x;
}

// Returns beta [N/m] of the memory row of p, for the shear modulus mu [Pa] and the rest volume [m^3]. A fluid remembers nothing: over a
// substep, the spring of stiffness C / dt is the drag C of the grains around it.
float memory_stiffness(uint p, float mu, float rest_volume) {
    vec4 tension = strain_shear(p);
#ifdef MIXTURES
    vec4 dragged = tension;
    if (minus_drag_of(dragged) < 0.0) return -minus_drag_of(dragged) / push.dt;
    if (push.stabilization == 0.0) return 0.0;
#endif
    float modulus = push.stabilization * mu + TENSION_STIFFNESS * tension_bound_of(tension);
    return modulus * rest_volume / (push.kernel_radius * push.kernel_radius);
}

// Returns v, shortened to the length `bound` if it is longer.
vec3 bounded(vec3 v, float bound) {
    float size = length(v);
    return size > bound ? (bound / size) * v : v;
}

// Pairs of a particle, and sums over them at the present velocities.
struct Neighborhood {
    uvec2 range;
    vec4 weight;    // q, 1 / sum w^
    mat3 gradient;  // grad v [1/s]
    vec3 departure; // n_p(v): motion of the neighbors that no gradient explains [m/s]
};

float memory_weight_of(uint packed_index, vec3 g, vec4 weight) {
    return MEMORY ? weight_of(packed_index, g, weight) : 0.0;
}

Neighborhood gather(uint p, vec3 vp, uint lane) {
    Neighborhood h;
    h.range = neighbor_range(p);
    h.weight = MEMORY ? memory_weight(p) : vec4(0.0);
    vec3 gx = vec3(0.0), gy = vec3(0.0), gz = vec3(0.0);
    h.departure = vec3(0.0);
    // Two neighbors per iteration, because a software driver updates its execution mask in every iteration of a loop.
    uint end = neighbor_end(h.range);
    uint step = LANES * stride_of(h.range);
    for (uint i = h.range.x + lane * stride_of(h.range); i < end; i += 2u * step) {
        bool two = i + step < end;
        uvec4 record = pair(i);
        uvec4 second = pair(two ? i + step : i);
        vec3 g = uintBitsToFloat(record.yzw);
        vec3 g2 = two ? uintBitsToFloat(second.yzw) : vec3(0.0);
        vec3 dv = velocity(record.x & INDEX_MASK).xyz - vp;
        vec3 dv2 = velocity(second.x & INDEX_MASK).xyz - vp;
        gx += dv * g.x + dv2 * g2.x;
        gy += dv * g.y + dv2 * g2.y;
        gz += dv * g.z + dv2 * g2.z;
        if (MEMORY) {
            float w2 = two ? memory_weight_of(second.x, g2, h.weight) : 0.0;
            h.departure += memory_weight_of(record.x, g, h.weight) * dv + w2 * dv2;
        }
    }
    h.gradient = mat3(group_sum(gx), group_sum(gy), group_sum(gz));
    if (MEMORY) h.departure = group_sum(h.departure);
    return h;
}

#ifdef TENSOR_MODELS
#include "history.glsl"
#endif

// Stress and constraint of a trial step.
struct Response {
    mat3 stress; // B = tau A^-T [Pa]
    mat3 A;      // I + dt grad v
    mat3 pull;   // A^-T
    Symmetric kirchhoff; // tau [Pa]
    vec2 tau;    // |dev tau|, tr tau / 3 [Pa]
    vec2 strain; // |dev eps_tr|, tr eps_tr / 3
    float C;     // sqrt(2 psi) [sqrt(Pa)]
    vec2 moduli; // mu, kappa [Pa]
    bool clamped;
    bool folded;
};

Response respond(uint p, uint material, mat3 step) {
    Response r;
    r.folded = limit_fold(step);
    vec4 words = state(p);
    Trial t = trial_strain(Symmetric(strain_diagonal(p).xyz, strain_shear(p).xyz), step);
    r.clamped = t.clamped;
    r.moduli = material_moduli(material, words);
    mat3 tau;
    float psi;
#ifdef TENSOR_MODELS
    if (material_is_tensor(material)) {
        TensorPoint point = carried_point(p, t, step, r.clamped);
        psi = material_respond(material, words, IMPLICIT ? push.dt : 0.0, point, tau);
    } else
#endif
    {
        vec3 hencky = t.hencky;
        float forget;
        vec4 dropped = words;
        if (IMPLICIT) hencky = material_project(material, dropped, push.dt, t.hencky, forget);
        vec3 principal = material_kirchhoff(material, words, hencky);
        if (LITERAL) principal *= exp(t.hencky - hencky);
        tau = compose(t.axes, principal);
        psi = material_energy(material, words, hencky);
    }
    r.C = sqrt(2.0 * max(psi, 0.0));
    r.A = t.A;
    r.pull = inverse_transpose(t.A, t.det);
    r.kirchhoff = to_symmetric(tau);
    r.stress = tau * r.pull;
    float pressure = (tau[0][0] + tau[1][1] + tau[2][2]) / 3.0;
    mat3 deviator = tau - mat3(pressure);
    r.tau = vec2(sqrt(dot(deviator[0], deviator[0]) + dot(deviator[1], deviator[1]) + dot(deviator[2], deviator[2])), pressure);
    float mean = (t.hencky.x + t.hencky.y + t.hencky.z) / 3.0;
    r.strain = vec2(length(t.hencky - mean), mean);
    return r;
}

bool at_rest(Response r) {
    return r.C <= REST_TOLERANCE * sqrt(2.0 * r.moduli.x + 3.0 * r.moduli.y);
}
