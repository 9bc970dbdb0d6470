// Lists the occupied cells and counts them by color and size class. The order of the list depends on scheduling and has no effect.
// One invocation per cell.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "cells.glsl"
#include "size_class.glsl"

layout(local_size_x = 64) in;

void main() {
    uint cell = invocation();
    if (cell >= push.cell_count || status(STATUS_FAILED) != 0u) return;
    uint count = cell_start(cell + 1u) - cell_start(cell);
    if (count == 0u) return;
    occupied_cell(atomicAdd(color_count(COLORS), 1u)) = cell;
    atomicAdd(size_class(size_class_of(cell, count)), 1u);
}
