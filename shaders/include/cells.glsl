// The periodic grid of cells (engine/problem/src/grid.rs).

uint cell_index(ivec3 c) {
    ivec3 size = ivec3(push.grid_x, push.grid_y, push.grid_z);
    ivec3 wrapped = c - size * ivec3(floor(vec3(c) / vec3(size)));
    wrapped += size * ivec3(lessThan(wrapped, ivec3(0)));
    wrapped -= size * ivec3(greaterThanEqual(wrapped, size));
    // The quotient is rounded: far out it may be off by more than the one period corrected above.
    wrapped = clamp(wrapped, ivec3(0), size - 1);
    return uint(wrapped.x + size.x * (wrapped.y + size.y * wrapped.z));
}

ivec3 cell_coordinates(uint cell) {
    uint row = cell / push.grid_x;
    return ivec3(cell % push.grid_x, row % push.grid_y, row / push.grid_y);
}

uint cell_color(uint cell) {
    ivec3 c = cell_coordinates(cell) % 3;
    return uint(c.x + 3 * c.y + 9 * c.z);
}
