// Fits the boxes of a level of the trees of deforming patches, after those below it. One invocation per node.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 64) in;

void main() {
    uint i = refit_level(push.color) + invocation();
    if (i >= refit_level(push.color + 1u)) return;
    uint node = refit_node(i);
    uvec4 head = mesh_node(2u * node), tail = mesh_node(2u * node + 1u);
    vec3 low = vec3(3e38), high = vec3(-3e38);
    if ((head.w & MESH_LEAF) != 0u) {
        uint first = (head.w & ~MESH_LEAF) >> 3, count = head.w & 7u;
        for (uint t = first; t < first + count; ++t) {
            for (uint k = 0u; k < 3u; ++k) {
                vec3 x = mesh_triangle(t * TRIANGLE_WORDS + k).xyz;
                low = min(low, x);
                high = max(high, x);
            }
        }
    } else {
        uvec2 child = uvec2(node + 1u, head.w);
        for (uint k = 0u; k < 2u; ++k) {
            low = min(low, uintBitsToFloat(mesh_node(2u * child[k]).xyz));
            high = max(high, uintBitsToFloat(mesh_node(2u * child[k] + 1u).xyz));
        }
    }
    mesh_node(2u * node) = uvec4(floatBitsToUint(low), head.w);
    mesh_node(2u * node + 1u) = uvec4(floatBitsToUint(high), tail.w);
}
