// Treats particles as rigid spheres of the kernel radius in diameter, with point friction (Macklin et al. 2014, "Unified particle
// physics", sec. 6.1): a Gauss-Seidel sweep over the cells of one color. A pair is handled by its particle of smaller index. LANES
// invocations per cell, of which the first does the work.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "neighborhood.glsl"
#include "constraints/grains/row.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 1u;

void main() {
    uint slot = invocation() / LANES;
    if (slot >= color_count(push.color) || invocation() % LANES != 0u) return;
    uint cell = colored_cell(push.color * (push.cell_count / COLORS) + slot);
    uint last = cell_start(cell + 1u);
    for (uint p = cell_start(cell); p < last; ++p) collide(p, neighbor_range(p));
}
