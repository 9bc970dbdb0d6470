// The position correction that the scene asks for: by distance, by density, or none.

layout(constant_id = 6) const uint CORRECTION = CORRECT_DISTANCE;

#include "constraints/distance/row.glsl"
#include "constraints/density/row.glsl"

void correct_positions(uint p) {
    if (CORRECTION == CORRECT_DISTANCE) keep_distance(p, neighbor_range(p));
    if (CORRECTION == CORRECT_DENSITY) keep_density(p, neighbor_range(p));
}
