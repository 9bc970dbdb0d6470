// Fluids in the pores of grains. MIXTURES is the number of pairs of materials.

#include "pores.glsl"

// Returns the part of a kernel that a bed of grains takes, of which walls leave the part `free`, for the sum V W over the grains: inside
// of a bed it does not follow the places of single grains.
float presence(float sum, float free) {
    free = max(free, 1e-30);
    return free * clamp((sum / free - BED_FROM) / (BED_TO - BED_FROM), 0.0, 1.0);
}

// Returns the sum V W at the particles of a lattice of `volume` V per particle [r^3].
float sparse_sum(float volume) {
    float at = max(volume / SPARSE_STEP, 0.0);
    uint i = min(uint(at), uint(SPARSE.length() - 2));
    return SPARSE[i] + (at - float(i)) * (SPARSE[i + 1u] - SPARSE[i]);
}

// Returns the part of the volume of `other` matter that a fluid cannot take.
float solid_part(uint fluid, uint other) {
    for (uint i = 0u; i < MIXTURES; ++i) {
        if (MIXED[i] == uvec2(fluid, other)) return PORES[i].x;
    }
    return 1.0;
}

// Returns the drag of grains per volume of a fluid and relative velocity [kg/(m^3 s)]; negative of other matter.
float drag_rate(uint fluid, uint other) {
    for (uint i = 0u; i < MIXTURES; ++i) {
        if (MIXED[i] == uvec2(fluid, other)) return PORES[i].y;
    }
    return -1.0;
}

// Returns the cohesion that a fluid gives to the grains of mixture i at a saturation in [0, 1] [Pa]: linear between the points of its
// curve, constant beyond them.
float cohesion_at(uint i, float saturation) {
    uvec2 range = CURVE_RANGE[i];
    vec2 last = CURVE[range.x];
    if (saturation < last.x) return last.y;
    for (uint k = range.x + 1u; k < range.y; ++k) {
        vec2 next = CURVE[k];
        if (saturation < next.x) return mix(last.y, next.y, (saturation - last.x) / (next.x - last.x));
        last = next;
    }
    return last.y;
}
