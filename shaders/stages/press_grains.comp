// Lets grains feel the gradient of the pressure in their pores, which a fluid of mass m tells by its own balance: (1 / room - 1) m (a - g),
// with the mean acceleration a of its last substeps. The drag contains its part of the rest. Grains share the force by V W. One invocation
// per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "kernel.glsl"
#include "neighborhood.glsl"

layout(local_size_x = 64) in;

#ifdef MIXTURES
#include "mixture.glsl"

// Returns the acceleration of a fluid's particle in pores by what the grains take of its pressure [m/s^2].
vec3 acceleration(uint p, float room) {
    vec4 mean = mean_acceleration(p);
    return (1.0 / room - 1.0) * (vec3(push.gravity_x, push.gravity_y, push.gravity_z) - mean.xyz);
}

// Returns the acceleration of a grain at x per volume and inverse mass [N/m^3].
vec3 pressed(uint p, vec3 x) {
    uvec4 self = identity(p);
    vec3 taken = vec3(0.0);
    uvec2 range = neighbor_range(p);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        uvec4 other = identity(b);
        vec2 had = room(b), weight = kernel_weight(b);
        if (bed_of(had) == 0.0 || kernel_inverse_mass_of(weight) == 0.0) continue;
        if (pores_of(material_index_of(other), material_index_of(self)).x < 0.0) continue;
        vec4 at = position(b);
        float share = kernel(distance(at.xyz, x), push.kernel_radius) / (bed_of(had) * kernel_inverse_mass_of(weight));
        taken += share * acceleration(b, room_of(had));
    }
    return -taken;
}
#endif

void main() {
#ifdef MIXTURES
    uint p = invocation();
    if (p >= push.particle_count || status(STATUS_FAILED) != 0u) return;
    vec4 x = position(p), v = velocity(p);
    vec2 had = room(p);
    vec3 change = vec3(0.0);
    if (elastic_volume_of(x) > 0.0) change = elastic_volume_of(x) * inverse_mass_of(v) * pressed(p, x.xyz);
    else if (inverse_mass_of(v) > 0.0) change = acceleration(p, room_of(had));
    added_velocity(p) = vec4(push.dt * change, 0.0);
    velocity(p) = v + added_velocity(p);
#endif
}
