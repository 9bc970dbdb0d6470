// Three particles in line (engine/problem/src/links/bend.rs): k/2 |e|^2, e = sum c_i x_i. Numbers: c [1/m], k [N m].

// Returns e [dimensionless].
vec3 bend_turn(mat4 c, Ends e) {
    return c[0].z * end_of(e, 2u) - (c[0].x + c[0].z) * end_of(e, 1u);
}

float bend_energy(mat4 c, Ends e) {
    vec3 turn = bend_turn(c, e);
    return 0.5 * c[0].w * dot(turn, turn);
}

float bend_part(mat4 c, uint role) {
    return role == 0u ? c[0].x : role == 1u ? c[0].y : c[0].z;
}

vec3 bend_gradient(mat4 c, uint role, Ends e) {
    return c[0].w * bend_part(c, role) * bend_turn(c, e);
}

vec3 bend_product(mat4 c, uint role, Ends e, Ends u) {
    return bend_gradient(c, role, u);
}

Symmetric bend_block(mat4 c, uint role, Ends e) {
    float part = bend_part(c, role);
    return Symmetric(vec3(c[0].w * part * part), vec3(0.0));
}

void bend_row(mat4 c, Ends e, float w[LINK_MEMBERS], inout mat3 multipliers, inout vec3 impulse[LINK_MEMBERS]) {
    float compliance = 1.0 / max(c[0].w * push.dt * push.dt, 1e-30);
    vec3 change = -(bend_turn(c, e) + multipliers[0]) / (dot(c[0].xyz * c[0].xyz, vec3(w[0], w[1], w[2])) + compliance);
    multipliers[0] += compliance * change;
    for (uint i = 0u; i < 3u; ++i) impulse[i] = bend_part(c, i) / push.dt * change;
}
