// One pass of the Newton solve over the cells of one color: internal forces times dt at the velocities, with their
// linearization, or the matrix times what the velocities hold instead. Same mapping as force_residual. BLOCKS is set where the pass
// may be the first linearization, whose blocks serve them all: a software driver goes both ways at a branch.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "neighborhood.glsl"
#include "materials.glsl"
#include "strain.glsl"
#include "inelastic.glsl"
#include "tangent.glsl"

layout(local_size_x_id = 0) in;

// Adds the diagonal block that a velocity entering grad v by g [1/m] and n by `weight` feels of itself.
#ifdef BLOCKS
void add_block(uint b, Tangent t, vec3 g, float weight) {
    g = g * t.inverse;
    Symmetric block = Symmetric(vec3(t.shear * dot(g, g) + t.memory * weight * weight), vec3(0.0));
    add_outer(block, g, t.shear / 3.0 + t.bulk);
    newton_block_diagonal(b) += vec4(block.diagonal, 0.0);
    newton_block_shear(b) += vec4(block.shear, 0.0);
}
#else
void add_block(uint b, Tangent t, vec3 g, float weight) {}
#endif

// `seen`: forces were evaluated before in this solve.
void visit(uint p, bool linearize, bool blocks, bool seen) {
    vec3 vp = velocity(p).xyz;
    Neighborhood h = gather(p, vp, 0u);
    vec4 sums = gradient_sum(p);
    vec4 remembered = memory(p);
    uvec4 self = identity(p);
    mat3 B;
    vec3 u = vec3(0.0);
    Tangent t;
    if (linearize) {
        Response r = respond(p, material_of(self), push.dt * h.gradient);
        B = (push.dt * remembered.w) * r.stress;
        vec3 displaced = remembered.xyz + push.dt * h.departure;
        vec4 response = memory_response(p);
        float stiffness = 0.0;
        if (MEMORY) {
            stiffness = memory_stiffness(p, r.moduli.x, remembered.w);
            u = (push.dt * stiffness) * bounded(displaced, response.w);
        }
        t = linearized(r, remembered.w, stiffness, length(displaced), response.w);
        if (seen) look_back(p, r, remembered.w, t);
        keep_tangent(p, t);
        newton_stress_diagonal(p) = vec4(r.kirchhoff.diagonal, 0.0);
        newton_stress_shear(p) = vec4(r.kirchhoff.shear, 0.0);
        if (blocks) add_block(p, t, sums.xyz, sums.w);
    } else {
        t = kept_tangent(p);
        B = linear_stress(t, h.gradient);
        u = t.memory * h.departure;
    }
    for (uint i = h.range.x; i < neighbor_end(h.range); ++i) {
        uvec4 record = pair(i);
        vec3 g = uintBitsToFloat(record.yzw);
        uint b = record.x & INDEX_MASK;
        float weight = memory_weight_of(record.x, g, h.weight);
        force(b) += vec4(B * g + weight * u, linearize ? block_trace(t, g, weight) : 0.0);
        if (blocks) add_block(b, t, g, weight);
    }
    force(p) += vec4(-(B * sums.xyz) - sums.w * u, linearize ? block_trace(t, sums.xyz, sums.w) : 0.0);
}

void main() {
    uint slot = invocation();
    if (slot >= color_count(push.color)) return;
    uint cell = colored_cell(push.color * (push.cell_count / COLORS) + slot);
    uint last = cell_start(cell + 1u);
    uint mode = newton(NEWTON_MODE);
    bool linearize = mode != NEWTON_MULTIPLY;
    bool first = mode == NEWTON_FIRST || mode == NEWTON_PREDICTED;
    for (uint p = cell_start(cell); p < last; ++p) visit(p, linearize, first, !first);
}
