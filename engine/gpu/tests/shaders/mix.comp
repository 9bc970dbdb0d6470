#version 460
// One invocation per particle: touches every element type, reads, writes, swaps components and counts with atomics.
#include "attributes.glsl"
#include "include/launch.glsl"
layout(local_size_x_id = 0) in;

void main() {
    uint i = invocation();
    if (i >= push.count) return;
    uint b = neighbor(i).y;
    vec4 v = velocity(i);
    position(i) = v.wzyx + vec4(mass(b));
    position(i).x += push.scale;
    tangent(i) = vec2(mass(i), float(b));
    uint slot = atomicAdd(counter(0).total, i);
    atomicMax(counter(0).largest, i);
    atomicAdd(counter(0).histogram[i % 4u], 1u);
    label(i) ^= uvec4(i, 2u * i, 3u * i, uint(slot > 0xfffffffeu));
}
