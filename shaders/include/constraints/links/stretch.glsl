// Two particles at a distance (engine/problem/src/links/stretch.rs): k/2 (l - L)^2. Numbers: L [m], k [N/m].

// Adds x to a sum of two parts, of which `low` collects the rounding errors.
void add_exactly(inout float high, inout float low, float x) {
    precise float sum = high + x;
    precise float part = sum - high;
    precise float lost = (high - (sum - part)) + (x - part);
    low += lost;
    high = sum;
}

// Adds sign a^2 likewise (Dekker's product).
void add_square(inout float high, inout float low, float a, float sign) {
    precise float wide = 4097.0 * a;
    precise float upper = wide - (wide - a);
    precise float lower = a - upper;
    precise float square = a * a;
    precise float lost = ((upper * upper - square) + 2.0 * upper * lower) + lower * lower;
    add_exactly(high, low, sign * square);
    low += sign * lost;
}

// Returns l - L. Rounding l to f32 would lose the strain of a stiff rope; hence (l^2 - L^2) / (l + L), with the difference of squares
// at the start in two floats.
float stretch_excess(mat4 c, Ends e) {
    vec3 start = e.high[1], moved = e.low[1] + e.moved[1];
    float high = 0.0, low = 0.0;
    add_square(high, low, start.x, 1.0);
    add_square(high, low, start.y, 1.0);
    add_square(high, low, start.z, 1.0);
    add_square(high, low, c[0].x, -1.0);
    return ((high + low) + dot(moved, 2.0 * start + moved)) / (length(start + moved) + c[0].x);
}

vec3 stretch_normal(Ends e) {
    vec3 d = end_of(e, 1u);
    return d / max(length(d), 1e-30);
}

float stretch_energy(mat4 c, Ends e) {
    float excess = stretch_excess(c, e);
    return 0.5 * c[0].y * excess * excess;
}

vec3 stretch_gradient(mat4 c, uint role, Ends e) {
    return (role == 0u ? -c[0].y : c[0].y) * stretch_excess(c, e) * stretch_normal(e);
}

// Returns the stiffness along the link and across it [N/m]; a slack link has none across.
vec2 stretch_stiffness(mat4 c, Ends e) {
    return vec2(c[0].y, c[0].y * max(stretch_excess(c, e), 0.0) / max(length(end_of(e, 1u)), 1e-30));
}

vec3 stretch_product(mat4 c, uint role, Ends e, Ends u) {
    vec3 n = stretch_normal(e), apart = end_of(u, 1u);
    vec2 k = stretch_stiffness(c, e);
    float along = dot(n, apart);
    return (role == 0u ? -1.0 : 1.0) * ((k.x - k.y) * along * n + k.y * apart);
}

Symmetric stretch_block(mat4 c, uint role, Ends e) {
    vec2 k = stretch_stiffness(c, e);
    Symmetric block = Symmetric(vec3(k.y), vec3(0.0));
    add_outer(block, stretch_normal(e), k.x - k.y);
    return block;
}

// Computes the impulses on the members in one row of a sweep; w: inverse masses.
void stretch_row(mat4 c, Ends e, float w[LINK_MEMBERS], inout mat3 multipliers, inout vec3 impulse[LINK_MEMBERS]) {
    float compliance = 1.0 / max(c[0].y * push.dt * push.dt, 1e-30);
    float change = -(stretch_excess(c, e) + multipliers[0].x) / (w[0] + w[1] + compliance);
    multipliers[0].x += compliance * change;
    impulse[1] = change / push.dt * stretch_normal(e);
    impulse[0] = -impulse[1];
}
