// Written from engine/solver/src/constraints/links.rs; do not edit.

#include "constraints/links/stretch.glsl"
#include "constraints/links/bend.glsl"
#include "constraints/links/membrane.glsl"
#include "constraints/links/curve.glsl"

uint link_members(uint kind) {
    if (kind == 1u) return 3u;
    if (kind == 2u) return 3u;
    if (kind == 3u) return 6u;
    return 2u;
}

float link_energy(uint kind, mat4 numbers, Ends e) {
    if (kind == 1u) return bend_energy(numbers, e);
    if (kind == 2u) return membrane_energy(numbers, e);
    if (kind == 3u) return curve_energy(numbers, e);
    return stretch_energy(numbers, e);
}

vec3 link_gradient(uint kind, mat4 numbers, uint role, Ends e) {
    if (kind == 1u) return bend_gradient(numbers, role, e);
    if (kind == 2u) return membrane_gradient(numbers, role, e);
    if (kind == 3u) return curve_gradient(numbers, role, e);
    return stretch_gradient(numbers, role, e);
}

vec3 link_product(uint kind, mat4 numbers, uint role, Ends e, Ends u) {
    if (kind == 1u) return bend_product(numbers, role, e, u);
    if (kind == 2u) return membrane_product(numbers, role, e, u);
    if (kind == 3u) return curve_product(numbers, role, e, u);
    return stretch_product(numbers, role, e, u);
}

Symmetric link_block(uint kind, mat4 numbers, uint role, Ends e) {
    if (kind == 1u) return bend_block(numbers, role, e);
    if (kind == 2u) return membrane_block(numbers, role, e);
    if (kind == 3u) return curve_block(numbers, role, e);
    return stretch_block(numbers, role, e);
}

void link_row(uint kind, mat4 numbers, Ends e, float w[LINK_MEMBERS], inout mat3 multipliers, inout vec3 impulse[LINK_MEMBERS]) {
    if (kind == 1u) {
        bend_row(numbers, e, w, multipliers, impulse);
        return;
    }
    if (kind == 2u) {
        membrane_row(numbers, e, w, multipliers, impulse);
        return;
    }
    if (kind == 3u) {
        curve_row(numbers, e, w, multipliers, impulse);
        return;
    }
    stretch_row(numbers, e, w, multipliers, impulse);
}
