// Computes the norms of the residuals from the sums of the tiles; ends the iteration if the force residual is below its tolerance.
// One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 64) in;

shared vec3 range_sum[64];

void main() {
    uint tiles = (push.particle_count + TILE - 1u) / TILE;
    uint lane = gl_LocalInvocationIndex;
    uint share = (tiles + 63u) / 64u;
    vec3 sum = vec3(0.0);
    for (uint t = min(lane * share, tiles); t < min((lane + 1u) * share, tiles); ++t) sum += partial(t).xyz;
    range_sum[lane] = sum;
    barrier();
    if (lane != 0u || status(STATUS_FAILED) != 0u) return;
    vec3 total = vec3(0.0);
    for (uint k = 0u; k < 64u; ++k) total += range_sum[k];
    vec3 norm = sqrt(total);
    if (push.phase == 0u) {
        status(STATUS_RESIDUAL_START) = floatBitsToUint(max(norm.x, max(push.residual_floor, 3e-5 * norm.z)));
        return;
    }
    float relative = norm.x / max(uintBitsToFloat(status(STATUS_RESIDUAL_START)), 1e-37);
    status(STATUS_RESIDUAL) = floatBitsToUint(relative);
    status(STATUS_MULTIPLIER) = floatBitsToUint(norm.y);
    if (relative < push.residual_tolerance) {
        arguments(ARGUMENTS_ITERATE) = uvec4(0u, 1u, 1u, 0u);
        for (uint c = 0u; c < COLORS; ++c) {
            arguments(ARGUMENTS_COLORS + c) = uvec4(0u, 1u, 1u, 0u);
            arguments(ARGUMENTS_RESIDUAL + c) = uvec4(0u, 1u, 1u, 0u);
        }
    }
}
