// Ends the batch after a substep in which a triangle of cloth has been stretched further than it bears. The host then tears it. One
// invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "exact_sum.glsl"

layout(local_size_x = 64) in;

#ifdef FIRST_LINKED
#define END_POSITION(p) committed_position(p).xyz
#define END_LOW(p) committed_position_low(p).xyz
#define END_MOVED(p) vec3(0.0)
#include "constraints/links/ends.glsl"
#include "constraints/links/incidences.glsl"

void main() {
    uint p = invocation();
    if (p >= push.particle_count || (status(STATUS_FAILED) & ~STOPPED) != 0u) return;
    uvec4 self = identity(p);
    uvec2 range = incidences_of(id_of(self));
    for (uint i = range.x; i < range.y; ++i) {
        Incidence of = incidence(i);
        if (of.kind != LINK_MEMBRANE || of.role != 0u) continue;
        vec3 strain = membrane_strain(numbers_of(of.index), ends_of(places_of(of.index, 3u), 3u), 0.0);
        float squared = strain.x + strain.y + length(vec2(strain.x - strain.y, strain.z));
        uvec4 word = link(2u * of.index + 1u);
        if (squared > uintBitsToFloat(word.w)) atomicOr(status(STATUS_FAILED), STOPPED);
    }
}
#else
void main() {}
#endif
