// Lists the occupied cells, all together and by color. The order inside a list depends on scheduling
// and has no effect: cells of one color are independent. One invocation per cell.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "cells.glsl"
#include "generated/status.glsl"

layout(local_size_x = 64) in;

void main() {
    uint cell = invocation();
    if (cell >= push.cell_count || status(STATUS_FAILED) != 0u) return;
    if (cell_start(cell) == cell_start(cell + 1u)) return;
    uint color = cell_color(cell);
    uint per_color = push.cell_count / 27u;
    occupied_cell(atomicAdd(color_count(27u), 1u)) = cell;
    colored_cell(color * per_color + atomicAdd(color_count(color), 1u)) = cell;
}
