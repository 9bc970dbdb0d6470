// Gives fluids the strain of their density at the start of the substep, isotropic with ln J = 1 - rho / rho_0 (Macklin and Mueller 2013,
// eq. 1): rho / rho_0 = sum V W / (sum V W at rest), over the particle and all matter around it, and what walls take of the kernel. One
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
#include "constraints/colliders/touched.glsl"

layout(local_size_x = 64) in;

// Returns the fraction of a kernel's integral beyond a plane at the signed distance [m] from its center.
float beyond_wall(float distance) {
    float u = max(1.0 - 0.5 * abs(distance) / push.kernel_radius, 0.0);
    float u3 = u * u * u;
    float part = u3 * u3 * (3.5 - 4.5 * u + 1.5 * u * u);
    return distance < 0.0 ? 1.0 - part : part;
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count || status(STATUS_FAILED) != 0u) return;
    vec4 x = position(p);
    if (elastic_volume_of(x) >= 0.0) return;
    float sum = -elastic_volume_of(x) * kernel(0.0, push.kernel_radius);
    uvec2 range = neighbor_range(p);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        vec4 other = position(record.x & INDEX_MASK);
        sum += abs(elastic_volume_of(other)) * kernel(distance(other.xyz, x.xyz), push.kernel_radius);
    }
    float free = 1.0;
    for (uint touched = touched_by(p); touched != 0u; touched >>= 8) {
        uint at = face_at(touched);
        vec4 word = collider(at + 4u);
        float room = collider_distance(at, carried(at, x.xyz, FAR)).w - word.w;
        free *= 1.0 - beyond_wall(room);
    }
    uvec4 self = identity(p);
    float theta = 1.0 - (sum / rest_sum(body_of(self)) + (1.0 - free));
    strain_diagonal(p) = vec4(vec3(exp(2.0 / 3.0 * theta) - 1.0), exp(theta));
    strain_shear(p) = vec4(0.0);
}
