// Sorts the occupied cells by color and class of size, so that neighboring lanes of a sweep have equally much to do.
// The order inside a class depends on scheduling and has no effect: cells of one color are independent. One
// invocation per occupied cell.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "cells.glsl"
#include "size_class.glsl"

layout(local_size_x = 64) in;

void main() {
    uint i = invocation();
    if (i >= color_count(COLORS)) return;
    uint cell = occupied_cell(i);
    uint count = cell_start(cell + 1u) - cell_start(cell);
    colored_cell(atomicAdd(size_class(size_class_of(cell, count)), 1u)) = cell;
}
