// Separates curvature from slope in gradients, which would otherwise mistake curvature for slope
// (engine/solver/notes/surface_layers.md).
// Quadratics of an offset x are vectors of 6 in two halves: x^2, y^2, z^2, and sqrt 2 times y z, x z, x y.
#ifndef TUFF_CURVATURE_GLSL
#define TUFF_CURVATURE_GLSL

// Sums over a neighborhood, in offsets x = d / r with weights w = V (-W' / |d|) r^2.
struct Curvature {
    mat3 third_squares;   // sum w x^2 x^T, the upper half of sum w q x^T
    mat3 third_products;  // lower half of sum w q x^T
    mat3 squares;         // blocks of sum w q q^T
    mat3 mixed;
    mat3 products;
    float largest;        // largest w
    float sum;            // sum of w
    float foreign;        // sum of w over other bodies
};

// g_b = w / r (slope x - transposed curvature q).
struct CurvatureCorrector {
    mat3 slope;
    mat3 squares;
    mat3 products;
};

vec3 squares_of(vec3 x) { return x * x; }
vec3 products_of(vec3 x) { return 1.41421356 * x.yxx * x.zzy; }

Curvature curvature_zero() {
    return Curvature(mat3(0.0), mat3(0.0), mat3(0.0), mat3(0.0), mat3(0.0), 0.0, 0.0, 0.0);
}

void add_curvature(inout Curvature c, vec3 x, float w, bool foreign) {
    vec3 squares = squares_of(x), products = products_of(x);
    c.third_squares += outerProduct(w * squares, x);
    c.third_products += outerProduct(w * products, x);
    c.squares += outerProduct(w * squares, squares);
    c.mixed += outerProduct(w * squares, products);
    c.products += outerProduct(w * products, products);
    c.largest = max(c.largest, w);
    c.sum += w;
    if (foreign) c.foreign += w;
}

// Returns the fraction of the correction that a neighborhood allows: none where its linear gradient is scaled down (`steepness`,
// squared, from 1 on), where the body's own neighbors lie almost in a plane (`flatness`: least eigenvalue of sum w^ a d^T over the
// largest), or where it meets other bodies, which need not move with this one.
float curvature_share(Curvature c, float steepness, float flatness) {
    return max(0.0, 1.0 - steepness * steepness)
        * clamp((flatness - CURVATURE_FLAT) / (CURVATURE_ROUND - CURVATURE_FLAT), 0.0, 1.0)
        * max(0.0, 1.0 - c.foreign / (CURVATURE_FOREIGN * c.sum));
}

float trace_of_product(mat3 a, mat3 b) { return dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2]); }

// Returns the corrector to `linear` = (sum w x x^T)^-1, scaled to the fraction `share` of the full correction.
CurvatureCorrector curvature_corrector(Curvature c, mat3 linear, float share) {
    // The part of the quadratics that slopes explain, and the scatter around it.
    mat3 upper = c.third_squares * linear, lower = c.third_products * linear;
    mat3 A = c.squares - upper * transpose(c.third_squares);
    mat3 B = c.mixed - upper * transpose(c.third_products);
    mat3 C = c.products - lower * transpose(c.third_products);
    float least = CURVATURE_SCATTER / 6.0
        * (c.squares[0][0] + c.squares[1][1] + c.squares[2][2] + c.products[0][0] + c.products[1][1] + c.products[2][2]);
    // Z = (S^2 + least^2)^-1 S [upper; lower], S = [A B; B^T C], by blocks.
    mat3 Bt = transpose(B);
    mat3 F = A * A + B * Bt + mat3(least * least);
    mat3 G = A * B + B * C;
    mat3 H = Bt * B + C * C + mat3(least * least);
    mat3 first = A * upper + B * lower, second = Bt * upper + C * lower;
    mat3 across = transpose(G) * inverse(F);
    mat3 z2 = inverse(H - across * G) * (second - across * first);
    mat3 z1 = inverse(F) * (first - G * z2);
    float steepening = c.largest * (trace_of_product(z1, A * z1 + B * z2) + trace_of_product(z2, Bt * z1 + C * z2));
    float scale = share * sqrt(CURVATURE_STEEPEST / max(steepening, CURVATURE_STEEPEST));
    z1 *= scale;
    z2 *= scale;
    return CurvatureCorrector(linear + transpose(z1) * upper + transpose(z2) * lower, z1, z2);
}

// Returns g_b r / w of a neighbor at x.
vec3 curvature_gradient(CurvatureCorrector c, vec3 x) {
    return c.slope * x - squares_of(x) * c.squares - products_of(x) * c.products;
}

#endif
