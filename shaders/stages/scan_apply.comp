// Third stage of a prefix sum: writes the exclusive sums and, after the last one, the total. One invocation per tile.
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
    uint last = min(first + SCAN_TILE, push.cell_count);
    uint sum = scan_tile(tile);
    for (uint i = first; i < last; ++i) {
        uint value = cell_count(i);
        cell_start(i) = sum;
        sum += value;
    }
    if (last == push.cell_count) cell_start(push.cell_count) = sum;
}
