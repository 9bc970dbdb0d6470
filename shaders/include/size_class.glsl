// Size classes of occupied cells, by number of particles. Needs cells.glsl and generated/constants.glsl.

// Returns the entry of `size_class` for a cell with `count` particles; the fullest come first.
uint size_class_of(uint cell, uint count) {
    return cell_color(cell) * SIZE_CLASSES + SIZE_CLASSES - min(count, SIZE_CLASSES);
}
