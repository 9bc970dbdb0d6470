// Opens the Newton solve (phase 0) or one of its passes (phase: passes left, this one included): counts the pass, or empties all
// that follow once the solve has ended. After the last recorded pass (NEWTON_CLOSE): fails the substep if its solve has not ended (it
// is then repeated with more passes) or ended far from balance (it is then repeated in two halves). One invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 1) in;

// Fails the substep and empties the stages that follow, so that they leave the state alone.
void refuse(uint failure) {
    atomicOr(status(STATUS_FAILED), failure);
    arguments(ARGUMENTS_SOLVE) = uvec4(0u, 1u, 1u, 0u);
    for (uint c = 0u; c < COLORS; ++c) arguments(ARGUMENTS_COLORS + c) = uvec4(0u, 1u, 1u, 0u);
}

void close(bool ended) {
    if (!ended) {
        refuse(FAILED_PASSES);
        return;
    }
    float left = uintBitsToFloat(status(STATUS_RESIDUAL));
    if (push.residual_limit > 0.0 && !(left <= push.residual_limit)) refuse(FAILED_UNBALANCED);
    else if (push.residual_tolerance > 0.0 && !(left <= push.residual_tolerance)) atomicAdd(status(COUNT_NEWTON_UNBALANCED), 1u);
}

void main() {
    uvec4 solve = arguments(ARGUMENTS_SOLVE);
    if (solve.x == 0u) return;
    bool ended = newton(NEWTON_MODE) == NEWTON_ENDED;
    if (push.phase == NEWTON_CLOSE) {
        close(ended);
        return;
    }
    uvec4 groups = arguments(ARGUMENTS_ITERATE);
    if (groups.x == 0u) return;
    if (push.phase == 0u) {
        newton(NEWTON_MODE) = NEWTON_FIRST;
        return;
    }
    if (!ended) {
        status(STATUS_ITERATIONS) += 1u;
        return;
    }
    arguments(ARGUMENTS_ITERATE) = uvec4(0u, 1u, 1u, 0u);
    arguments(ARGUMENTS_SUMS) = uvec4(0u, 1u, 1u, 0u);
}
