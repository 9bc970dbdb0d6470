// Counts the particles of each cell. One invocation per particle, in the order of the last commit.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "cells.glsl"

layout(local_size_x = 64) in;

void main() {
    uint i = invocation();
    if (i >= push.particle_count) return;
    uint cell = cell_index(ivec3(floor(committed_position(i).xyz / push.cell_edge)));
    // The slot depends on scheduling; the sort stage replaces it with the rank of the id.
    particle_cell(i) = uvec2(cell, atomicAdd(cell_count(cell), 1u));
}
