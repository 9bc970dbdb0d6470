// Total bodies: the pairs that their particles keep, and sums in two f32 parts. FIRST_TOTAL is the id of the first of TOTAL_COUNT
// particles; without total bodies it is not defined.

#ifdef FIRST_TOTAL
bool is_total(uint id) { return id - FIRST_TOTAL < TOTAL_COUNT; }
#else
bool is_total(uint id) { return false; }
#endif

// Returns a b rounded, and the rounding error in `lost`.
vec3 exact_product(vec3 a, vec3 b, out vec3 lost) {
    precise vec3 product = a * b;
    precise vec3 wide_a = 4097.0 * a;
    precise vec3 wide_b = 4097.0 * b;
    precise vec3 high_a = wide_a - (wide_a - a);
    precise vec3 high_b = wide_b - (wide_b - b);
    precise vec3 low_a = a - high_a;
    precise vec3 low_b = b - high_b;
    precise vec3 rest = ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b;
    lost = rest;
    return product;
}

// A matrix, or the diagonal and shear of a symmetric one, in two f32 parts.
struct Exact {
    mat3 high;
    mat3 low;
};

// Adds (a + low_a) b to a column.
void add_exact(inout Exact sum, int column, vec3 a, vec3 low_a, vec3 b) {
    vec3 lost, rounded;
    vec3 product = exact_product(a, b, lost);
    sum.high[column] = exact_sum(sum.high[column], product, rounded);
    sum.low[column] += rounded + (lost + low_a * b);
}
