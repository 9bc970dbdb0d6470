// Written from engine/solver/src/attributes; do not edit.

// Copies the kept attributes of particle `from` to its place `to` in the order of the cells.
void sort_kept(uint from, uint to) {
    position(to) = committed_position(from);
    position_low(to) = committed_position_low(from);
    velocity(to) = committed_velocity(from);
    strain_diagonal(to) = committed_strain_diagonal(from);
    strain_shear(to) = committed_strain_shear(from);
    memory(to) = committed_memory(from);
    state(to) = committed_state(from);
    identity(to) = committed_identity(from);
    for (uint k = 0u; k < HISTORY_WORDS; ++k) history(to * HISTORY_WORDS + k) = committed_history(from * HISTORY_WORDS + k);
    if (DEFORMATION) for (uint k = 0u; k < 3u; ++k) deformation(to * 3u + k) = committed_deformation(from * 3u + k);
    if (TOTAL_COUNT > 0u) for (uint k = 0u; k < 2u; ++k) plastic(to * 2u + k) = committed_plastic(from * 2u + k);
    if (NEWTON) internal_acceleration(to) = committed_internal_acceleration(from);
    
#ifdef MIXTURES
    mean_acceleration(to) = committed_mean_acceleration(from);
#endif
}
