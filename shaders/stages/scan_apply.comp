// Third stage of a prefix sum: writes the exclusive sums and, behind the last, the total. One
// invocation per tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "scan.glsl"

layout(local_size_x = 8) in;

void main() {
    uint tile = invocation();
    uint first = tile * SCAN_TILE;
    if (first >= SCAN_COUNT) return;
    uint last = min(first + SCAN_TILE, SCAN_COUNT);
    uint sum = scan_tile(tile);
    for (uint i = first; i < last; ++i) {
        uint value = SCAN_INPUT(i);
        SCAN_OUTPUT(i) = sum;
        sum += value;
    }
    if (last == SCAN_COUNT) SCAN_OUTPUT(SCAN_COUNT) = sum;
}
