#version 460
// x <- 3 x + 1, into the other attribute.
#include "attributes.glsl"
#include "include/launch.glsl"
layout(local_size_x_id = 0) in;

void main() {
    uint i = invocation();
    if (i >= push.count) return;
    target(i) = 3u * source(i) + 1u;
}
