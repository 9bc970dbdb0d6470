// Opens a substep: sizes the dispatches over particles, or empties them if an earlier substep of the batch has failed. One
// invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 1) in;

void main() {
    bool running = status(STATUS_FAILED) == 0u;
    uint particles = running ? push.particle_count : 0u;
    arguments(ARGUMENTS_PARTICLES) = uvec4(linear_groups(particles, 64u), 0u);
    arguments(ARGUMENTS_TILES) = uvec4(linear_groups(particles, 64u * TILE), 0u);
    if (running) {
        status(STATUS_PAIRS) = 0u;
        status(STATUS_RECORDS_NEEDED) = 0u;
        status(STATUS_MEETINGS) = 0u;
    }
    for (uint c = 0u; c <= COLORS; ++c) color_count(c) = 0u;
    for (uint c = 0u; c < COLORS * SIZE_CLASSES; ++c) size_class(c) = 0u;
}
