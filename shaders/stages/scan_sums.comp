// Second stage of a prefix sum: scans the tile sums in place. One workgroup; each invocation owns a
// contiguous range of tiles.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 64) in;

const uint SCAN_LANES = 64u;

shared uint range_sum[SCAN_LANES];

void main() {
    uint tiles = (push.cell_count + SCAN_TILE - 1u) / SCAN_TILE;
    uint share = (tiles + SCAN_LANES - 1u) / SCAN_LANES;
    uint lane = gl_LocalInvocationIndex;
    uint first = min(lane * share, tiles);
    uint last = min(first + share, tiles);
    uint sum = 0u;
    for (uint t = first; t < last; ++t) sum += scan_tile(t);
    range_sum[lane] = sum;
    barrier();
    uint before = 0u;
    for (uint k = 0u; k < lane; ++k) before += range_sum[k];
    for (uint t = first; t < last; ++t) {
        uint value = scan_tile(t);
        scan_tile(t) = before;
        before += value;
    }
}
