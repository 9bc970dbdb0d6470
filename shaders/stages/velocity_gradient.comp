// Computes the velocity gradients for the smoothing. One invocation per particle.
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
    vec3 vp = velocity(p).xyz;
    uvec2 range = neighbor_range(p);
    vec3 gx = vec3(0.0), gy = vec3(0.0), gz = vec3(0.0);
    for (uint i = range.x; i < neighbor_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        vec3 g = uintBitsToFloat(record.yzw);
        vec3 dv = velocity(record.x & INDEX_MASK).xyz - vp;
        gx += dv * g.x;
        gy += dv * g.y;
        gz += dv * g.z;
    }
    velocity_gradient_x(p) = vec4(gx, 0.0);
    velocity_gradient_y(p) = vec4(gy, 0.0);
    velocity_gradient_z(p) = vec4(gz, 0.0);
}
