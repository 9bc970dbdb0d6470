// Moves the vertices of deforming meshes to the end of the substep, between the knots of their motion. One invocation per vertex.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint POINTS = 0u; // vertices of all deforming meshes

void main() {
    uint i = invocation();
    if (i >= POINTS) return;
    // A mesh is two words: knots at the start and at the end, as what is added to the vertex, and the parts of the way to the next ones;
    // first vertex, number of vertices, and the part of the way between two knots that the substep takes.
    uint at = push.first_span;
    uvec4 size = mesh_span(at + 1u);
    while (i - size.x >= size.y) {
        at += 2u;
        size = mesh_span(at + 1u);
    }
    uvec4 span = mesh_span(at);
    vec2 part = uintBitsToFloat(span.zw);
    uint last = span.y + i, next = last + (part.y > 0.0 ? size.y : 0u);
    vec3 x = mesh_knot(last).xyz;
    vec3 ahead = mesh_knot(next).xyz - x;
    // A difference of positions would be rounding over short substeps.
    vec3 moved = uintBitsToFloat(size.z) * ahead;
    if (span.x != span.y) {
        uint first = span.x + i;
        vec3 left = mesh_knot(first + size.y).xyz;
        moved = (1.0 - part.x) * (left - mesh_knot(first).xyz) + (x - left) + part.y * ahead;
    }
    mesh_point(2u * i) = vec4(x + part.y * ahead, 0.0);
    mesh_point(2u * i + 1u) = vec4(moved, 0.0);
}
