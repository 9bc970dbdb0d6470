// Ends the batch after a substep in which a pair of a total body has become longer than it bears. The host then breaks it, and fits what its
// particles keep. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "neighborhood.glsl"
#include "exact_sum.glsl"
#include "total.glsl"

layout(local_size_x = 64) in;

#ifdef FIRST_TOTAL
void main() {
    uint p = invocation();
    if (p >= push.particle_count || (status(STATUS_FAILED) & ~STOPPED) != 0u) return;
    uvec4 self = identity(p);
    if (!is_total(id_of(self))) return;
    uint row = id_of(self) - FIRST_TOTAL;
    vec3 x = committed_position(p).xyz, low = committed_position_low(p).xyz;
    for (uint k = total_start(row); k < total_start(row + 1u); ++k) {
        uvec4 entry = total_pair(k);
        uint b = total_place((entry.x & INDEX_MASK) - FIRST_TOTAL);
        vec3 lost;
        vec3 d = exact_sum(committed_position(b).xyz, -x, lost);
        d += (committed_position_low(b).xyz - low) + lost;
        if (dot(d, d) > total_reach(k)) atomicOr(status(STATUS_FAILED), STOPPED);
    }
}
#else
void main() {}
#endif
