// Sizes the neighbor search to the occupied cells. One invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/status.glsl"

layout(local_size_x = 1) in;
layout(constant_id = 0) const uint SEARCH_GROUP = 8u; // workgroup size of the search

void main() {
    arguments(ARGUMENTS_SEARCH) = uvec4(linear_groups(color_count(27u) * 8u, SEARCH_GROUP), 0u);
}
