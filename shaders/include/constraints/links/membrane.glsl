// A triangle that stretches and shears (engine/problem/src/links/membrane.rs): St. Venant-Kirchhoff in plane stress. Numbers: rest lengths
// of 01, 02, 12 [m], damping [s]; entries 11, 12, 22 of D^-1 [1/m]; A Y t [J], nu.

// Returns the squares of an edge's length at the start, less that at rest, and what it gains in the substep [m^2]. The first one needs
// two floats: rounding would lose the strain of a stiff cloth.
vec2 membrane_squares(vec3 high, vec3 low, vec3 moved, float rest) {
    float sum = 0.0, lost = 0.0;
    add_square(sum, lost, high.x, 1.0);
    add_square(sum, lost, high.y, 1.0);
    add_square(sum, lost, high.z, 1.0);
    add_square(sum, lost, rest, -1.0);
    return vec2((sum + lost) + dot(low, 2.0 * high + low), dot(moved, 2.0 * (high + low) + moved));
}

// Returns E_11, E_22, 2 E_12 of differences of squares for the edges 01, 02, 12.
vec3 membrane_strain_of(mat4 c, vec3 s) {
    float shear = 0.5 * (s.x + s.y - s.z);
    return vec3(0.5 * c[1].x * c[1].x * s.x,
                0.5 * (c[1].y * c[1].y * s.x + 2.0 * c[1].y * c[1].z * shear + c[1].z * c[1].z * s.y),
                c[1].x * (c[1].y * s.x + c[1].z * shear));
}

// Returns the strain at the end, with `viscous` times what it gains.
vec3 membrane_strain(mat4 c, Ends e, float viscous) {
    vec3 lost;
    vec3 across = exact_sum(e.high[2], -e.high[1], lost);
    vec2 s01 = membrane_squares(e.high[1], e.low[1], e.moved[1], c[0].x);
    vec2 s02 = membrane_squares(e.high[2], e.low[2], e.moved[2], c[0].y);
    vec2 s12 = membrane_squares(across, (e.low[2] - e.low[1]) + lost, e.moved[2] - e.moved[1], c[0].z);
    vec3 gained = vec3(s01.y, s02.y, s12.y);
    return membrane_strain_of(c, vec3(s01.x, s02.x, s12.x) + (1.0 + viscous) * gained);
}

// Returns the area times the second Piola-Kirchhoff stress: 11, 22, 12 [J].
vec3 membrane_stress(mat4 c, vec3 e) {
    float nu = c[2].y;
    return c[2].x / (1.0 - nu * nu) * vec3(e.x + nu * e.y, e.y + nu * e.x, 0.5 * (1.0 - nu) * e.z);
}

float membrane_viscous(mat4 c) { return c[0].w / push.dt; }

// Returns the columns of the deformation gradient.
mat2x3 membrane_columns(mat4 c, Ends e) {
    vec3 d1 = end_of(e, 1u);
    return mat2x3(c[1].x * d1, c[1].y * d1 + c[1].z * end_of(e, 2u));
}

// Returns the gradient of the shape function of a corner [1/m].
vec2 membrane_slope(mat4 c, uint role) {
    return role == 0u ? -vec2(c[1].x, c[1].y + c[1].z) : role == 1u ? c[1].xy : vec2(0.0, c[1].z);
}

vec2 membrane_apply(vec3 s, vec2 n) { return vec2(s.x * n.x + s.z * n.y, s.z * n.x + s.y * n.y); }

// Returns the stress without what compresses.
vec3 membrane_tension(vec3 s) {
    float mean = 0.5 * (s.x + s.y), across = 0.5 * (s.x - s.y);
    float radius = sqrt(across * across + s.z * s.z);
    if (mean - radius >= 0.0) return s;
    if (mean + radius <= 0.0) return vec3(0.0);
    return 0.5 * (mean + radius) / radius * vec3(radius + across, radius - across, s.z);
}

float membrane_energy(mat4 c, Ends e) {
    vec3 strain = membrane_strain(c, e, 0.0);
    return 0.5 * dot(membrane_stress(c, strain), strain);
}

vec3 membrane_gradient(mat4 c, uint role, Ends e) {
    return membrane_columns(c, e) * membrane_apply(membrane_stress(c, membrane_strain(c, e, membrane_viscous(c))), membrane_slope(c, role));
}

vec3 membrane_product(mat4 c, uint role, Ends e, Ends u) {
    mat2x3 f = membrane_columns(c, e), g = membrane_columns(c, u);
    float viscous = membrane_viscous(c);
    vec3 change = vec3(dot(f[0], g[0]), dot(f[1], g[1]), dot(f[0], g[1]) + dot(f[1], g[0]));
    vec2 n = membrane_slope(c, role);
    vec3 pulled = membrane_tension(membrane_stress(c, membrane_strain(c, e, viscous)));
    return f * membrane_apply((1.0 + viscous) * membrane_stress(c, change), n) + g * membrane_apply(pulled, n);
}

Symmetric membrane_block(mat4 c, uint role, Ends e) {
    mat2x3 f = membrane_columns(c, e);
    float nu = c[2].y, viscous = membrane_viscous(c);
    float scale = (1.0 + viscous) * c[2].x / (1.0 - nu * nu), shear = 0.5 * (1.0 - nu);
    vec2 n = membrane_slope(c, role), square = scale * n * n;
    float both = scale * 0.5 * (1.0 + nu) * n.x * n.y;
    vec3 pulled = membrane_tension(membrane_stress(c, membrane_strain(c, e, viscous)));
    Symmetric block = Symmetric(vec3(dot(membrane_apply(pulled, n), n)), vec3(0.0));
    add_outer(block, f[0], square.x + shear * square.y - both);
    add_outer(block, f[1], square.y + shear * square.x - both);
    add_outer(block, f[0] + f[1], both);
    return block;
}

// Three rows at once; w: inverse masses.
void membrane_row(mat4 c, Ends e, float w[LINK_MEMBERS], inout mat3 multipliers, inout vec3 impulse[LINK_MEMBERS]) {
    mat2x3 f = membrane_columns(c, e);
    float nu = c[2].y, viscous = membrane_viscous(c);
    float unit = 1.0 / max(c[2].x * push.dt * push.dt, 1e-30);
    mat3 compliance = unit * mat3(1.0, -nu, 0.0, -nu, 1.0, 0.0, 0.0, 0.0, 2.0 * (1.0 + nu));
    mat3 slopes[3];
    mat3 matrix = compliance;
    for (uint role = 0u; role < 3u; ++role) {
        vec2 n = membrane_slope(c, role);
        slopes[role] = mat3(n.x * f[0], n.y * f[1], n.y * f[0] + n.x * f[1]);
        matrix += (1.0 + viscous) * w[role] * (transpose(slopes[role]) * slopes[role]);
    }
    // Scaled, so that the determinant neither overflows nor vanishes.
    float size = matrix[0][0] + matrix[1][1] + matrix[2][2];
    vec3 change = inverse(matrix / size) * (-(membrane_strain(c, e, viscous) + multipliers[0]) / size);
    multipliers[0] += compliance * change;
    for (uint role = 0u; role < 3u; ++role) impulse[role] = slopes[role] * change / push.dt;
}
