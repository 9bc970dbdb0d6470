// Finds the largest speed in each tile of particles. One invocation per tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 64) in;

void main() {
    uint tile = invocation();
    uint first = tile * TILE;
    if (first >= push.particle_count) return;
    float fastest = 0.0;
    for (uint p = first; p < min(first + TILE, push.particle_count); ++p) fastest = max(fastest, length(velocity(p).xyz));
    sheet_speed(tile) = fastest;
}
