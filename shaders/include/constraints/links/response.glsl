// The response of a linked particle to a force at the predicted velocities.

// Solves (1 + w block) x = f for a block that is never negative, by LDL^T. The pivots of such a matrix are at least 1, which rounding
// forgets where the block is large.
vec3 respond_alone(Symmetric block, float w, vec3 f) {
    mat3 m = to_matrix(block);
    vec3 first = w * m[0], second = w * m[1];
    float d0 = 1.0 + first.x;
    float l1 = first.y / d0, l2 = first.z / d0;
    float d1 = max(1.0, 1.0 + second.y - l1 * first.y);
    float l12 = (second.z - l1 * first.z) / d1;
    float d2 = max(1.0, 1.0 + w * m[2].z - l2 * first.z - l12 * l12 * d1);
    vec3 y = f;
    y.y -= l1 * y.x;
    y.z -= l2 * y.x + l12 * y.y;
    y /= vec3(d0, d1, d2);
    y.y -= l12 * y.z;
    y.x -= l1 * y.y + l2 * y.z;
    return y;
}

// Returns the impulse with which particle p alone responds to a force times dt [N s]. At the predicted velocities links are strained by
// motion that they will prevent, by far more than they will bear.
vec3 response_to(uint p, uvec2 range, vec3 force) {
    Symmetric block = symmetric_zero();
    add_constraint_blocks(p, range, block);
    vec4 v = velocity(p);
    return respond_alone(block, inverse_mass_of(v), force);
}
