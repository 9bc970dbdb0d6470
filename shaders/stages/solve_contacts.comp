// Corrects positions over the cells of one color: after a Jacobi sweep, or by density after a Newton solve; a Gauss-Seidel sweep
// includes the correction. LANES invocations per cell, of which the first does the work.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "neighborhood.glsl"
#include "kernel.glsl"
#include "position_correction.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 1u;

void main() {
    uint slot = invocation() / LANES;
    if (slot >= color_count(push.color) || invocation() % LANES != 0u) return;
    uint cell = colored_cell(push.color * (push.cell_count / COLORS) + slot);
    uint last = cell_start(cell + 1u);
    for (uint p = cell_start(cell); p < last; ++p) correct_positions(p);
}
