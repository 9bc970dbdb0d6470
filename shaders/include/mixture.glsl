// Fluids in the pores of grains. MIXTURES is the number of pairs of materials.

#include "pores.glsl"

// Returns the presence of a bed of grains, 1 inside, for the sum V W over them where walls leave the part `free` of a kernel.
float presence(float sum, float free) {
    return clamp((sum / max(free, 1e-30) - BED_FROM) / (BED_TO - BED_FROM), 0.0, 1.0);
}

// Returns the sum V W at the particles of a lattice of `volume` V per particle [r^3].
float sparse_sum(float volume) {
    float at = max(volume / SPARSE_STEP, 0.0);
    uint i = min(uint(at), uint(SPARSE.length() - 2));
    return SPARSE[i] + (at - float(i)) * (SPARSE[i + 1u] - SPARSE[i]);
}

// Returns what a fluid finds in the pores of `other` matter: the part of its volume that the fluid cannot take, and the drag per volume of
// the fluid and relative velocity [kg/(m^3 s)]; both negative if it has no pores for the fluid.
vec2 pores_of(uint fluid, uint other) {
    for (uint i = 0u; i < MIXTURES; ++i) {
        if (MIXED[i] == uvec2(fluid, other)) return PORES[i];
    }
    return vec2(-1.0);
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
