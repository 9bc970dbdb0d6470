// Separates curvature from slope in gradients, which would otherwise mistake curvature for slope
// (engine/solver/notes/surface_layers.md).
// Quadratics of an offset x are vectors of 6 in two halves: x^2, y^2, z^2, and sqrt 2 times y z, x z, x y.
#ifndef TUFF_CURVATURE_GLSL
#define TUFF_CURVATURE_GLSL
#include "symmetric.glsl"

// Sums over a neighborhood of products of the components of offsets x = d / r, with weights w = V (-W' / |d|) r^2. Vectors go through
// the axes in turn: for each axis i, j follows it (x, y, z, x ...) and k follows j.
struct Curvature {
    vec3 iii;       // sum w x_i^3
    vec3 iij;       // sum w x_i^2 x_j
    vec3 iik;
    float xyz;
    vec3 iiii;
    vec3 jjkk;
    vec3 iiij;
    vec3 iiik;
    vec3 iijk;
    float largest;  // largest w
    float sum;      // sum of w
    float foreign;  // sum of w over other bodies
};

// g_b = w / r (slope x - transposed curvature q).
struct CurvatureCorrector {
    mat3 slope;
    mat3 squares;
    mat3 products;
};

const float SQRT2 = 1.41421356;

vec3 squares_of(vec3 x) { return x * x; }
vec3 products_of(vec3 x) { return SQRT2 * x.yxx * x.zzy; }

Curvature curvature_zero() {
    vec3 none = vec3(0.0);
    return Curvature(none, none, none, 0.0, none, none, none, none, none, 0.0, 0.0, 0.0);
}

void add_curvature(inout Curvature c, vec3 x, float w, bool foreign) {
    vec3 once = w * x, square = x * once;
    vec3 cube = x * square;
    float product = once.x * x.y * x.z;
    c.iii += cube;
    c.iij += square * x.yzx;
    c.iik += square * x.zxy;
    c.xyz += product;
    c.iiii += x * cube;
    c.jjkk += square.yzx * squares_of(x.zxy);
    c.iiij += cube * x.yzx;
    c.iiik += cube * x.zxy;
    c.iijk += product * x;
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

// Returns a symmetric matrix of which only one half occupies registers.
mat3 halved(mat3 m) { return to_matrix(to_symmetric(m)); }

// Returns the corrector to `linear` = (sum w x x^T)^-1, scaled to the fraction `share` of the full correction.
CurvatureCorrector curvature_corrector(Curvature c, mat3 linear, float share) {
    // sum w q x^T, q the quadratics, and sum w q q^T in blocks.
    mat3 third_squares = mat3(c.iii.x, c.iik.y, c.iij.z, c.iij.x, c.iii.y, c.iik.z, c.iik.x, c.iij.y, c.iii.z);
    mat3 third_products = SQRT2 * mat3(c.xyz, c.iik.x, c.iij.x, c.iij.y, c.xyz, c.iik.y, c.iik.z, c.iij.z, c.xyz);
    mat3 squares = mat3(c.iiii.x, c.jjkk.z, c.jjkk.y, c.jjkk.z, c.iiii.y, c.jjkk.x, c.jjkk.y, c.jjkk.x, c.iiii.z);
    mat3 mixed = SQRT2 * mat3(c.iijk.x, c.iiij.y, c.iiik.z, c.iiik.x, c.iijk.y, c.iiij.z, c.iiij.x, c.iiik.y, c.iijk.z);
    mat3 products = 2.0 * mat3(c.jjkk.x, c.iijk.z, c.iijk.y, c.iijk.z, c.jjkk.y, c.iijk.x, c.iijk.y, c.iijk.x, c.jjkk.z);
    // The part of the quadratics that slopes explain, and the scatter around it.
    mat3 upper = third_squares * linear, lower = third_products * linear;
    mat3 A = halved(squares - upper * transpose(third_squares));
    mat3 B = mixed - upper * transpose(third_products);
    mat3 C = halved(products - lower * transpose(third_products));
    vec3 scatter = c.iiii + 2.0 * c.jjkk;
    float least = CURVATURE_SCATTER / 6.0 * (scatter.x + scatter.y + scatter.z);
    // Z = (S^2 + least^2)^-1 S [upper; lower], S = [A B; B^T C], by blocks.
    mat3 Bt = transpose(B);
    mat3 F = halved(A * A + B * Bt + mat3(least * least));
    mat3 G = A * B + B * C;
    mat3 H = halved(Bt * B + C * C + mat3(least * least));
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
