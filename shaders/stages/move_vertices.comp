// Moves the vertices of deforming meshes to the end of the substep, between the knots of their motion. One invocation per vertex.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint POINTS = 0u; // vertices of all deforming meshes

// Returns the position of a vertex between its positions at a knot and at the next one, which is `stride` later.
vec3 between(uint knot, uint stride, float fraction) {
    vec3 x = mesh_knot(knot).xyz;
    return fraction > 0.0 ? x + fraction * (mesh_knot(knot + stride).xyz - x) : x;
}

void main() {
    uint i = invocation();
    if (i >= POINTS) return;
    // A mesh is two words: knots at the start and at the end, as what is added to the vertex, and the parts of the way to the next ones;
    // first vertex, number of vertices.
    uint at = push.first_span;
    uvec4 size = mesh_span(at + 1u);
    while (i - size.x >= size.y) {
        at += 2u;
        size = mesh_span(at + 1u);
    }
    uvec4 span = mesh_span(at);
    vec3 start = between(span.x + i, size.y, uintBitsToFloat(span.z));
    vec3 end = between(span.y + i, size.y, uintBitsToFloat(span.w));
    mesh_point(2u * i) = vec4(end, 0.0);
    mesh_point(2u * i + 1u) = vec4(end - start, 0.0);
}
