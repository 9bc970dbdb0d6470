// Sizes the stages over contacts with sheets; empties all that follow if the contacts did not fit. One invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 1) in;

void main() {
    uint contacts = status(STATUS_MEETINGS);
    if (contacts > push.meeting_capacity) {
        atomicOr(status(STATUS_FAILED), FAILED_MEETINGS);
        arguments(ARGUMENTS_SOLVE) = uvec4(0u, 1u, 1u, 0u);
        arguments(ARGUMENTS_ITERATE) = uvec4(0u, 1u, 1u, 0u);
        arguments(ARGUMENTS_SUMS) = uvec4(0u, 1u, 1u, 0u);
        for (uint c = 0u; c < 2u * COLORS; ++c) arguments(ARGUMENTS_COLORS + c) = uvec4(0u, 1u, 1u, 0u);
    }
    uvec4 groups = arguments(ARGUMENTS_SOLVE);
    arguments(ARGUMENTS_MEETINGS) = uvec4(linear_groups(groups.x == 0u ? 0u : contacts, 64u), 0u);
}
