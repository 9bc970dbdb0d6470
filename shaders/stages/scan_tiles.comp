// First of three stages of an exclusive prefix sum: sum of each tile of SCAN_TILE values. One
// invocation per tile. Reduce-then-scan needs no forward progress between workgroups.
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
    uint sum = 0u;
    for (uint i = first; i < min(first + SCAN_TILE, SCAN_COUNT); ++i) sum += SCAN_INPUT(i);
    scan_tile(tile) = sum;
}
