// Finds the room of fluids among grains, and counts their volumes with the grains' part: V0 / room is the space that both share. One
// invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "kernel.glsl"
#include "neighborhood.glsl"
#include "constraints/colliders/distance.glsl"
#include "constraints/colliders/contact_radius.glsl"
#include "constraints/colliders/touched.glsl"
#include "wall_part.glsl"

layout(local_size_x = 64) in;

#ifdef MIXTURES
#include "mixture.glsl"

// Returns the room of a fluid's particle at x, and the sum V W over the grains around it.
vec2 room_at(uint p, vec3 x, float volume) {
    uvec4 self = identity(p);
    float bed = 0.0, solid = 0.0;
    uvec2 range = neighbor_range(p);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uvec4 other = identity(record.x & INDEX_MASK);
        vec2 pores = pores_of(material_index_of(self), material_index_of(other));
        if (pores.x < 0.0) continue;
        vec4 at = position(record.x & INDEX_MASK);
        float filled = abs(elastic_volume_of(at)) * kernel(distance(at.xyz, x), push.kernel_radius);
        bed += filled;
        solid += pores.x * filled;
    }
    if (bed == 0.0) return vec2(1.0, 0.0);
    float free = 1.0;
    for (uint touched = touched_by(p); touched != 0u; touched >>= 8) free *= 1.0 - beyond_wall(wall_depth(face_at(touched), x, volume));
    return vec2(1.0 - presence(bed, free) * solid / bed, bed);
}
#endif

void main() {
#ifdef MIXTURES
    uint p = invocation();
    if (p >= push.particle_count || status(STATUS_FAILED) != 0u) return;
    vec4 x = position(p);
    vec2 found = vec2(1.0, 0.0), weight = kernel_weight(p);
    if (elastic_volume_of(x) < 0.0) found = room_at(p, x.xyz, -elastic_volume_of(x));
    room(p) = found;
    kernel_weight(p) = weight / vec2(room_of(found), 1.0);
#endif
}
