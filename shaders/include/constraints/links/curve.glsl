// A triangle and its neighbors, which bend (engine/problem/src/links/curve.rs). Numbers: K_00, K_11, K_22 [N/m], damping [s]; K_12, K_02,
// K_01 [N/m], q_0 [m]; b_01, b_02, b_11, b_12; b_21, b_22, q_1, q_2 [m].

mat3 curve_stiffness(mat4 c) {
    return mat3(c[0].x, c[1].z, c[1].y, c[1].z, c[0].y, c[1].x, c[1].y, c[1].x, c[0].z);
}

// Returns the offset of a member from the first one at the start [m].
vec3 curve_start(Ends e, uint i) { return e.high[i] + e.low[i]; }

// Returns the heights e of three offsets over the plane of two others [m].
mat3 curve_heights_of(mat4 c, vec3 d1, vec3 d2, mat3 over) {
    return over - mat3(c[2].x * d1 + c[2].y * d2, c[2].z * d1 + c[2].w * d2, c[3].x * d1 + c[3].y * d2);
}

mat3 curve_heights(mat4 c, Ends e) {
    return curve_heights_of(c, end_of(e, 1u), end_of(e, 2u), mat3(end_of(e, 3u), end_of(e, 4u), end_of(e, 5u)));
}

// Returns the derivatives of e by the position of a member.
vec3 curve_parts(mat4 c, uint role) {
    vec3 second = vec3(c[2].x, c[2].z, c[3].x), third = vec3(c[2].y, c[2].w, c[3].y);
    if (role == 0u) return second + third - 1.0;
    return role == 1u ? -second : role == 2u ? -third : vec3(equal(uvec3(role), uvec3(3u, 4u, 5u)));
}

vec3 curve_upright(vec3 d1, vec3 d2) {
    vec3 n = cross(d1, d2);
    return n / max(length(n), 1e-30);
}

vec3 curve_normal(Ends e) { return curve_upright(end_of(e, 1u), end_of(e, 2u)); }

float curve_viscous(mat4 c) { return c[0].w / push.dt; }

// Returns q less the damping [m].
vec3 curve_targets(mat4 c, Ends e) {
    vec3 q = vec3(c[1].w, c[3].zw);
    if (c[0].w == 0.0) return q;
    vec3 d1 = curve_start(e, 1u), d2 = curve_start(e, 2u);
    mat3 before = curve_heights_of(c, d1, d2, mat3(curve_start(e, 3u), curve_start(e, 4u), curve_start(e, 5u)));
    return q - curve_viscous(c) * (curve_normal(e) * curve_heights(c, e) - curve_upright(d1, d2) * before);
}

// Returns the derivative of w . n by the position of a corner.
vec3 curve_turning(Ends e, uint role, vec3 w) {
    vec3 d1 = end_of(e, 1u), d2 = end_of(e, 2u), n = curve_upright(d1, d2);
    float least = CURVE_FLATTENED * (dot(d1, d1) + dot(d2, d2));
    vec3 along = w - dot(w, n) * n;
    vec3 opposite = role == 0u ? d1 - d2 : role == 1u ? d2 : -d1;
    return cross(opposite, along / max(max(length(cross(d1, d2)), least), 1e-30));
}

float curve_energy(mat4 c, Ends e) {
    mat3 bent = curve_heights(c, e) - outerProduct(curve_normal(e), vec3(c[1].w, c[3].zw));
    mat3 force = bent * curve_stiffness(c);
    return 0.5 * (dot(bent[0], force[0]) + dot(bent[1], force[1]) + dot(bent[2], force[2]));
}

vec3 curve_gradient(mat4 c, uint role, Ends e) {
    mat3 heights = curve_heights(c, e), K = curve_stiffness(c);
    vec3 q = curve_targets(c, e);
    vec3 direct = (heights - outerProduct(curve_normal(e), q)) * (K * curve_parts(c, role));
    if (role >= 3u || q == vec3(0.0)) return direct;
    return direct - curve_turning(e, role, heights * (K * q));
}

vec3 curve_product(mat4 c, uint role, Ends e, Ends u) {
    vec3 n = curve_normal(e);
    vec3 force = curve_heights(c, u) * (curve_stiffness(c) * curve_parts(c, role));
    return force + curve_viscous(c) * dot(force, n) * n;
}

Symmetric curve_block(mat4 c, uint role, Ends e) {
    vec3 part = curve_parts(c, role);
    float stiff = dot(part, curve_stiffness(c) * part);
    Symmetric block = Symmetric(vec3(stiff), vec3(0.0));
    add_outer(block, curve_normal(e), curve_viscous(c) * stiff);
    return block;
}

// Nine rows at once; w: inverse masses. The multipliers are the impulses so far times dt, since K may be singular.
void curve_row(mat4 c, Ends e, float w[LINK_MEMBERS], inout mat3 multipliers, inout vec3 impulse[LINK_MEMBERS]) {
    mat3 K = curve_stiffness(c);
    vec3 q = curve_targets(c, e);
    float squared = push.dt * push.dt;
    mat3 bent = curve_heights(c, e) - outerProduct(curve_normal(e), q);
    mat3 lacking = -(squared * (bent * K) + multipliers);
    mat3 mobility = mat3(0.0);
    for (uint role = 0u; role < LINK_MEMBERS; ++role) {
        vec3 part = curve_parts(c, role);
        mobility += w[role] * outerProduct(part, part);
    }
    mat3 matrix = mat3(1.0) + squared * (1.0 + curve_viscous(c)) * (K * mobility);
    mat3 change = lacking * transpose(inverse(matrix));
    multipliers += change;
    for (uint role = 0u; role < LINK_MEMBERS; ++role) {
        vec3 kick = change * curve_parts(c, role);
        if (role < 3u && q != vec3(0.0)) kick -= curve_turning(e, role, change * q);
        impulse[role] = kick / push.dt;
    }
}
