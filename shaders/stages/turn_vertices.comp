// Computes the pseudo-normals of the vertices of deforming patches: normals of the triangles around, weighted by their angles. One
// invocation per vertex of a patch.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint PATCH_POINTS = 0u; // vertices of all deforming patches

void main() {
    uint i = invocation();
    if (i >= PATCH_POINTS) return;
    uvec4 self = patch_point(i);
    vec3 x = mesh_point(2u * self.x).xyz;
    vec3 sum = vec3(0.0);
    for (uint k = self.y; k < self.z; ++k) {
        uvec2 other = patch_around(k);
        vec3 b = mesh_point(2u * other.x).xyz - x, c = mesh_point(2u * other.y).xyz - x;
        vec3 across = cross(b, c);
        float size = length(across);
        if (size > 0.0) sum += atan(size, dot(b, c)) / size * across;
    }
    mesh_normal(i) = vec4(sum, float(self.w));
}
