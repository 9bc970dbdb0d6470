// Three particles in line (engine/problem/src/links/bend.rs): k/2 |e|^2, e = sum c_i x_i. Numbers: c [1/m], k [N m].

// Returns e [dimensionless].
vec3 bend_turn(vec4 c, Ends e) {
    return c.z * end_of(e, 2u) - (c.x + c.z) * end_of(e, 1u);
}

float bend_energy(vec4 c, Ends e) {
    vec3 turn = bend_turn(c, e);
    return 0.5 * c.w * dot(turn, turn);
}

float bend_part(vec4 c, uint role) {
    return role == 0u ? c.x : role == 1u ? c.y : c.z;
}

vec3 bend_gradient(vec4 c, uint role, Ends e) {
    return c.w * bend_part(c, role) * bend_turn(c, e);
}

vec3 bend_product(vec4 c, uint role, Ends e, Ends u) {
    return bend_gradient(c, role, u);
}

Symmetric bend_block(vec4 c, uint role, Ends e) {
    float part = bend_part(c, role);
    return Symmetric(vec3(c.w * part * part), vec3(0.0));
}

void bend_row(vec4 c, Ends e, vec4 w, inout vec3 multiplier, inout vec3 impulse[LINK_MEMBERS]) {
    float compliance = 1.0 / max(c.w * push.dt * push.dt, 1e-30);
    vec3 change = -(bend_turn(c, e) + multiplier) / (dot(c.xyz * c.xyz, w.xyz) + compliance);
    multiplier += compliance * change;
    for (uint i = 0u; i < 3u; ++i) impulse[i] = bend_part(c, i) / push.dt * change;
}
