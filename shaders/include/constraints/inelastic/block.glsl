// Linearized response of a particle as stored, and its diagonal blocks.

struct Tangent {
    mat3 inverse; // A^-1
    float shear;  // V0 dt^2 times the shear modulus [N m s^2]
    float bulk;   // V0 dt^2 times the bulk modulus [N m s^2]
    float memory; // dt^2 beta of the memory [kg]
};

Tangent kept_tangent(uint p) {
    vec4 x = tangent_x(p), y = tangent_y(p), z = tangent_z(p);
    return Tangent(mat3(x.xyz, y.xyz, z.xyz), shear_stiffness_of(x), bulk_stiffness_of(y), memory_block_of(z));
}

// Returns the trace of the contribution to the diagonal block of a particle whose velocity enters grad v by g [1/m] and n by `weight`
// [kg].
float block_trace(Tangent t, vec3 g, float weight) {
    g = g * t.inverse;
    return (10.0 / 3.0 * t.shear + t.bulk) * dot(g, g) + 3.0 * t.memory * weight * weight;
}

// Returns the contribution to the diagonal block of a particle whose velocity enters grad v by g [1/m] and n by `weight` [kg].
Symmetric block_of(Tangent t, vec3 g, float weight) {
    g = g * t.inverse;
    Symmetric block = Symmetric(vec3(t.shear * dot(g, g) + t.memory * weight * weight), vec3(0.0));
    add_outer(block, g, t.shear / 3.0 + t.bulk);
    return block;
}
