// The diagonal block of a particle in a Newton solve.

// Replaces the block of p with its inverse and stores the trace of the block in w, mass included in both.
void invert_block(uint p, float mass) {
    vec3 diagonal = newton_block_diagonal(p).xyz;
    Symmetric block = Symmetric(diagonal + mass, newton_block_shear(p).xyz);
    Symmetric inverted = to_symmetric(inverse(to_matrix(block)));
    preconditioner_diagonal(p) = vec4(inverted.diagonal, diagonal.x + diagonal.y + diagonal.z + 3.0 * mass);
    preconditioner_shear(p) = vec4(inverted.shear, 0.0);
}
