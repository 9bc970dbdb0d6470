// First of three stages of an exclusive prefix sum over the particle counts of the cells: sums each tile of SCAN_TILE cells. One
// invocation per tile. Reduce-then-scan needs no forward progress between workgroups.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 8) in;

void main() {
    uint tile = invocation();
    uint first = tile * SCAN_TILE;
    if (first >= push.cell_count) return;
    uint sum = 0u;
    for (uint i = first; i < min(first + SCAN_TILE, push.cell_count); ++i) sum += cell_count(i);
    scan_tile(tile) = sum;
}
