// Sizes the stages over occupied cells, and assigns every size class its place in the list of its color. One invocation per color.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 32) in;
layout(constant_id = 0) const uint SEARCH_GROUP = 8u; // workgroup size of the search

void main() {
    uint color = gl_LocalInvocationIndex;
    if (color == 0u) {
        uint cells = color_count(COLORS);
        arguments(ARGUMENTS_SEARCH) = uvec4(linear_groups(cells * 8u, SEARCH_GROUP), 0u);
        arguments(ARGUMENTS_CELLS) = uvec4(linear_groups(cells, 64u), 0u);
    }
    if (color >= COLORS) return;
    uint first = color * (push.cell_count / COLORS);
    uint next = first;
    for (uint c = color * SIZE_CLASSES; c < (color + 1u) * SIZE_CLASSES; ++c) {
        uint count = size_class(c);
        size_class(c) = next;
        next += count;
    }
    color_count(color) = next - first;
}
