// Written from engine/solver/src/constraints/links.rs; do not edit.

#include "constraints/links/stretch.glsl"
#include "constraints/links/bend.glsl"

uint link_members(uint kind) {
    if (kind == 1u) return 3u;
    return 2u;
}

float link_energy(uint kind, vec4 numbers, Ends e) {
    if (kind == 1u) return bend_energy(numbers, e);
    return stretch_energy(numbers, e);
}

vec3 link_gradient(uint kind, vec4 numbers, uint role, Ends e) {
    if (kind == 1u) return bend_gradient(numbers, role, e);
    return stretch_gradient(numbers, role, e);
}

vec3 link_product(uint kind, vec4 numbers, uint role, Ends e, Ends u) {
    if (kind == 1u) return bend_product(numbers, role, e, u);
    return stretch_product(numbers, role, e, u);
}

Symmetric link_block(uint kind, vec4 numbers, uint role, Ends e) {
    if (kind == 1u) return bend_block(numbers, role, e);
    return stretch_block(numbers, role, e);
}

void link_row(uint kind, vec4 numbers, Ends e, vec4 w, inout vec3 multiplier, inout vec3 impulse[LINK_MEMBERS]) {
    if (kind == 1u) {
        bend_row(numbers, e, w, multiplier, impulse);
        return;
    }
    stretch_row(numbers, e, w, multiplier, impulse);
}
