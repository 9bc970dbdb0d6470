// Corrects positions by distance (eq. 21) after a Newton solve: sums the pushes on a particle of all pairs that would end the substep
// closer than the least distance and than at its start. A pair closes a fraction of its gap, set by its crowd: nothing takes back a
// push that was too strong for a grain on a pinned heap (engine/solver/METHOD.md). One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "neighborhood.glsl"

layout(local_size_x = 64) in;

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uvec2 range = neighbor_range(p);
    vec3 xp = position(p).xyz;
    vec4 vp = velocity(p);
    vec4 own = deferred(p);
    vec3 after = vp.xyz + own.xyz;
    vec3 change = vec3(0.0);
    uint found = 0u, counted = 0u;
    for (uint i = range.x; i < near_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec4 vb = velocity(b), other = deferred(b);
        vec3 before = position(b).xyz - xp;
        vec3 apart = before + push.dt * (vb.xyz + other.xyz - after);
        float distance = length(apart);
        float mobility = inverse_mass_of(vp) + inverse_mass_of(vb);
        float lacking = min(push.min_distance, length(before)) - distance;
        if (lacking <= SEPARATION_TOLERANCE * push.min_distance || mobility == 0.0) continue;
        vec3 n = distance > 0.0 ? apart / distance : vec3(0.0, b < p ? -1.0 : 1.0, 0.0);
        float share = min(1.0, PAIR_RELAXATION / max(max(crowd_of(own), crowd_of(other)), 1.0));
        change -= n * (share * lacking / mobility);
        ++found;
        if (p < b) ++counted;
    }
    velocity_change(p) = vec4((inverse_mass_of(vp) / push.dt) * change, float(found));
    if (counted > 0u) atomicAdd(status(COUNT_POSITION_CORRECTED), counted);
}
