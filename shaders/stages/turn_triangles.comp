// Writes the triangles of deforming patches: corners, normals, pseudo-normals, and how far the corners move in the substep. One
// invocation per triangle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TRIANGLES = 0u; // triangles of all deforming patches

vec3 point(uint vertex) { return mesh_point(2u * vertex).xyz; }

vec3 unit_normal(vec3 a, vec3 b, vec3 c) {
    vec3 across = cross(b - a, c - a);
    float size = length(across);
    return size > 0.0 ? across / size : vec3(0.0);
}

// Returns the pseudo-normal of the edge from a to b of a triangle with this normal; in w 1 where the patch ends.
vec4 edge_normal(vec3 a, vec3 b, vec3 normal, uint across) {
    if (across == ACROSS_NOTHING) return vec4(0.0);
    if (across == ACROSS_RIM) return vec4(0.0, 0.0, 0.0, 1.0);
    if (across == ACROSS_CUT) return vec4(normal, 1.0);
    return vec4(normal + unit_normal(b, a, point(across)), 0.0);
}

void main() {
    uint i = invocation();
    if (i >= TRIANGLES) return;
    uvec4 corner = patch_triangle(3u * i), across = patch_triangle(3u * i + 1u), own = patch_triangle(3u * i + 2u);
    vec3 a = point(corner.x), b = point(corner.y), c = point(corner.z);
    vec3 normal = unit_normal(a, b, c);
    uint to = corner.w * TRIANGLE_WORDS;
    mesh_triangle(to) = vec4(a, normal.x);
    mesh_triangle(to + 1u) = vec4(b, normal.y);
    mesh_triangle(to + 2u) = vec4(c, normal.z);
    mesh_triangle(to + 3u) = edge_normal(a, b, normal, across.x);
    mesh_triangle(to + 4u) = edge_normal(b, c, normal, across.y);
    mesh_triangle(to + 5u) = edge_normal(c, a, normal, across.z);
    for (uint k = 0u; k < 3u; ++k) {
        mesh_triangle(to + 6u + k) = mesh_normal(own[k]);
        mesh_drift(3u * corner.w + k) = mesh_point(2u * corner[k] + 1u);
    }
}
