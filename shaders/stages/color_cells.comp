// Sorts the occupied cells by color and size class, so that neighboring lanes of a sweep have about the same amount of work, and
// deals them out to workgroups, so that the threads of a software driver do as well. The order inside a class depends on scheduling
// and has no effect: cells of one color are independent. One invocation per occupied cell.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "cells.glsl"
#include "size_class.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint GROUP = 8u;  // cells per workgroup
layout(constant_id = 1) const uint SHARES = 1u; // number of equal runs into which the device divides the workgroups

// Returns the position, among the `count` cells of its color, of the cell that is number i by size. Workgroups left over by the
// division into equal runs, and the last one if it is not full, stay in place.
uint dealt(uint i, uint count) {
    uint group = i / GROUP;
    uint run = count / GROUP / SHARES;
    if (group >= run * SHARES) return i;
    uint row = group / SHARES;
    uint share = group % SHARES;
    if (row % 2u == 1u) share = SHARES - 1u - share;
    return (share * run + row) * GROUP + i % GROUP;
}

void main() {
    uint i = invocation();
    if (i >= color_count(COLORS)) return;
    uint cell = occupied_cell(i);
    uint count = cell_start(cell + 1u) - cell_start(cell);
    uint color = cell_color(cell);
    uint first = color * (push.cell_count / COLORS);
    uint place = atomicAdd(size_class(size_class_of(cell, count)), 1u) - first;
    colored_cell(first + dealt(place, color_count(color))) = cell;
}
