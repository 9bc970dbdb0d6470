// Written from engine/solver/src/constraints; do not edit.
//
// Forces of the constraints in the force balance of a particle. The including stage defines `multiplies`: true while products
// are formed and the velocities hold the vector to multiply; and `end_velocity(p)`: the velocity of the linearization.

#ifdef NEWTON_BALANCE
#include "constraints/distance/forces.glsl"
#endif

#ifdef FIRST_LINKED
#include "constraints/links/forces.glsl"
#endif

#ifdef SHEET_BALANCE
#include "constraints/sheets/forces.glsl"
#endif

// Adds forces times dt [N s], and in w the traces of their diagonal blocks [kg]; or products.
void add_constraint_forces(uint p, uvec2 range, inout vec4 sum) {
#ifdef NEWTON_BALANCE
    add_distance_forces(p, range, sum);
#endif
#ifdef FIRST_LINKED
    add_links_forces(p, range, sum);
#endif
#ifdef SHEET_BALANCE
    add_sheets_forces(p, range, sum);
#endif
}

// Adds diagonal blocks [kg].
void add_constraint_blocks(uint p, uvec2 range, inout Symmetric block) {
#ifdef NEWTON_BALANCE
    add_distance_blocks(p, range, block);
#endif
#ifdef FIRST_LINKED
    add_links_blocks(p, range, block);
#endif
#ifdef SHEET_BALANCE
    add_sheets_blocks(p, range, block);
#endif
}
