// Groups the particles by cell, in no particular order inside a cell. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"

layout(local_size_x = 64) in;

void main() {
    uint i = invocation();
    if (i >= push.particle_count) return;
    uvec2 cell = particle_cell(i);
    uvec4 self = committed_identity(i);
    cell_member(cell_start(cell.x) + cell.y) = uvec2(id_of(self), i);
}
