// Sorts the occupied cells by color and class of size, so that neighboring lanes of a sweep have equally much to do, and deals
// them out in workgroups, so that each thread of a software driver has, too. The order inside a class depends on scheduling and
// has no effect: cells of one color are independent. One invocation per occupied cell.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "cells.glsl"
#include "size_class.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint GROUP = 8u;  // cells of a workgroup
layout(constant_id = 1) const uint SHARES = 1u; // equal runs into which the device divides the workgroups

// Where the cell that is number i by size stands among the `count` of its color. The last workgroup, which may not be full, stays.
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
