// One sweep over the cells of one color: Gauss-Seidel on the velocities or, if JACOBI is set, a Jacobi sweep whose changes another
// stage applies. A group of LANES invocations handles a cell, its particles one after another by id; writes reach only adjacent
// cells, which no other cell of the color touches.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "neighborhood.glsl"
#include "materials.glsl"
#include "strain.glsl"
#include "constraints/inelastic/rows.glsl"
#include "exact_sum.glsl"
#include "total.glsl"
#include "total_body.glsl"
#include "kernel.glsl"
#include "position_correction.glsl"

layout(local_size_x_id = 0) in;

#ifdef JACOBI
// A mass is split among the rows that use it, and velocity changes are gathered for a later stage.
float mass_shares(uvec2 range) { return float(neighbor_count(range) + 1u); }

void add_velocity(uint b, vec3 impulse) {
    vec4 v = velocity(b);
    velocity_change(b) += vec4(inverse_mass_of(v) * impulse, 0.0);
}
#else
float mass_shares(uvec2 range) { return 1.0; }

void add_velocity(uint b, vec3 impulse) {
    vec4 v = velocity(b);
    velocity(b) = vec4(v.xyz + inverse_mass_of(v) * impulse, inverse_mass_of(v));
}
#endif

// Returns the first pair that a row changes. Pairs for contact alone weigh nothing, and with a total body they reach particles that
// rows of other cells change at the same time, since its rows follow the cells in which it started.
#ifdef TOTAL_CELLS
uint row_begin(uvec2 range) { return near_end(range); }
#else
uint row_begin(uvec2 range) { return range.x; }
#endif

void solve(uint p, uint lane) {
    vec4 vp = velocity(p);
    // Loaded before the lanes exchange their sums: lane 0 stores them at the end.
    vec4 hx = impulse_x(p), hy = impulse_y(p), hz = impulse_z(p);
    float lambda = multiplier(p);
    Neighborhood h = gather(p, vp.xyz, lane);
    vec4 diagonal = moment_diagonal(p);
    vec4 shear = moment_shear(p);
    vec4 sums = gradient_sum(p);
    vec4 remembered = memory(p);
    float V0 = rest_volume_of(remembered);
    float dt = push.dt;
    uvec4 self = identity(p);
    uint material = material_of(self);

    vec3 u = vec3(0.0);
    if (MEMORY) {
        float mu = material_moduli(material, state(p)).x;
        float beta = memory_stiffness(p, mu, V0);
        vec3 old = vec3(memory_multiplier_of(hx), memory_multiplier_of(hy), memory_multiplier_of(hz));
        vec4 response = memory_response(p);
        vec3 change = -(remembered.xyz + dt * h.departure + old) / (1.0 + beta * dt * dt * memory_mobility_of(shear));
        if (length(old + change) > memory_bound_of(response)) change = bounded(old + change, memory_bound_of(response)) - old;
        u = (beta * dt) * change;
        old += change;
        memory_multiplier_of(hx) = old.x;
        memory_multiplier_of(hy) = old.y;
        memory_multiplier_of(hz) = old.z;
        h.gradient += outerProduct(u, response.xyz);
    }

    Response r = respond(p, material, dt * h.gradient);
    mat3 H = transpose(mat3(hx.xyz, hy.xyz, hz.xyz));
    mat3 dH = mat3(0.0);
    bool released = false;
    if (TENSOR) {
        mat3 R = (-V0 * dt) * r.stress - H;
        float third = (R[0][0] + R[1][1] + R[2][2]) / 3.0;
        mat3 sphere = mat3(third);
        float scale = V0 * dt * dt * largest_moment_of(diagonal);
        dH = (R - sphere) * (1.0 / (1.0 + 2.0 * r.moduli.x * scale)) + sphere * (1.0 / (1.0 + 3.0 * r.moduli.y * scale));
    } else if (at_rest(r)) {
        released = lambda != 0.0;
        if (released) dH = -H;
        lambda = 0.0;
    } else {
        mat3 G = r.stress * (1.0 / r.C);
        mat3 GS = G * to_matrix(Symmetric(diagonal.xyz, shear.xyz));
        vec3 Gs = G * sums.xyz;
        float D = dot(GS[0], G[0]) + dot(GS[1], G[1]) + dot(GS[2], G[2])
                + mass_shares(h.range) * inverse_mass_of(vp) * dot(Gs, Gs);
        float change = -(r.C + lambda) / (1.0 + V0 * dt * dt * D);
        lambda += change;
        dH = (V0 * dt * change) * G;
    }

    for (uint i = row_begin(h.range) + lane * stride_of(h.range); i < neighbor_end(h.range); i += LANES * stride_of(h.range)) {
        uvec4 record = pair(i);
        vec3 g = uintBitsToFloat(record.yzw);
        uint b = record.x & INDEX_MASK;
        vec3 impulse = dH * g + memory_weight_of(record.x, g, h.weight) * u;
        add_velocity(b, impulse);
    }
    if (lane != 0u) return;
    add_velocity(p, -(dH * sums.xyz) - weight_sum_of(sums) * u);
    H += dH;
    H = transpose(H);
    impulse_x(p) = vec4(H[0], memory_multiplier_of(hx));
    impulse_y(p) = vec4(H[1], memory_multiplier_of(hy));
    impulse_z(p) = vec4(H[2], memory_multiplier_of(hz));
    multiplier(p) = lambda;
    if (r.clamped) atomicAdd(status(COUNT_STRETCH_CLAMPED), 1u);
    if (r.folded) atomicAdd(status(COUNT_FOLD_LIMITED), 1u);
    if (released) atomicAdd(status(COUNT_TIP_RELEASED), 1u);
}

// The rows of total bodies follow in cells of their own.
#ifdef TOTAL_CELLS
// One invocation per cell of one color in which total bodies started: what their particles touch now may be far away.
void main() {
#ifdef FIRST_TOTAL
    uint cell = total_color(push.color) + invocation();
    if (cell >= total_color(push.color + 1u)) return;
    // There are no iterations after convergence or a failure.
    uvec4 groups = arguments(ARGUMENTS_ITERATE);
    if (groups.x == 0u) return;
    uint last = total_cell(cell + 1u);
    for (uint k = total_cell(cell); k < last; ++k) solve(total_place(total_member(k) - FIRST_TOTAL), 0u);
#endif
}
#else
void main() {
    uint lane = LANES == 1u ? 0u : gl_SubgroupInvocationID % LANES;
    uint slot = invocation() / LANES;
    bool live = slot < color_count(push.color);
    uint cell = live ? colored_cell(push.color * (push.cell_count / COLORS) + slot) : 0u;
    uint first = live ? cell_start(cell) : 0u;
    uint count = live ? cell_start(cell + 1u) - first : 0u;
    if (LANES == 1u) {
        for (uint k = 0u; k < count; ++k) {
            if (!in_total_body(first + k)) solve(first + k, 0u);
            correct_positions(first + k);
        }
        return;
    }
    // The groups of a subgroup advance in step, so that the barriers between rows are uniform.
    uint most = subgroupMax(count);
    for (uint k = 0u; k < most; ++k) {
        if (k < count && !in_total_body(first + k)) solve(first + k, lane);
        subgroupMemoryBarrierBuffer();
        subgroupBarrier();
        if (CORRECTION == CORRECT_NOTHING) continue;
        if (k < count && lane == 0u) correct_positions(first + k);
        subgroupMemoryBarrierBuffer();
        subgroupBarrier();
    }
}
#endif
