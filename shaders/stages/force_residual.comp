// Adds the internal forces times dt at the present velocities [N s] to both sides of every pair. One invocation per cell of one
// color, which handles the particles of its cell one after another.
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

layout(local_size_x_id = 0) in;

void add_forces(uint p) {
    vec3 vp = velocity(p).xyz;
    Neighborhood h = gather(p, vp, 0u);
    vec4 sums = gradient_sum(p);
    vec4 remembered = memory(p);
    uvec4 self = identity(p);
    uint material = material_of(self);
    Response r = respond(p, material, push.dt * h.gradient);
    mat3 B = (push.dt * rest_volume_of(remembered)) * r.stress;
    vec3 u = vec3(0.0);
    if (MEMORY) {
        float stiffness = memory_stiffness(p, r.moduli.x, rest_volume_of(remembered));
        vec4 response = memory_response(p);
        u = (push.dt * stiffness) * bounded(remembered.xyz + push.dt * h.departure, memory_bound_of(response));
    }
    for (uint i = h.range.x; i < neighbor_end(h.range); i += stride_of(h.range)) {
        uvec4 record = pair(i);
        vec3 g = uintBitsToFloat(record.yzw);
        force(record.x & INDEX_MASK) += vec4(B * g + memory_weight_of(record.x, g, h.weight) * u, 0.0);
    }
    float scaled = r.C + multiplier(p);
    force(p) += vec4(-(B * sums.xyz) - weight_sum_of(sums) * u, TENSOR || at_rest(r) ? 0.0 : scaled * scaled);
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
    for (uint k = total_cell(cell); k < last; ++k) add_forces(total_place(total_member(k) - FIRST_TOTAL));
#endif
}
#else
void main() {
    uint slot = invocation();
    if (slot >= color_count(push.color)) return;
    uint cell = colored_cell(push.color * (push.cell_count / COLORS) + slot);
    uint last = cell_start(cell + 1u);
    for (uint p = cell_start(cell); p < last; ++p) if (!in_total_body(p)) add_forces(p);
}
#endif
