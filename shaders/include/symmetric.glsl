// Symmetric 3x3 matrices as (diagonal xx yy zz, off-diagonal yz xz xy).
#ifndef TUFF_SYMMETRIC_GLSL
#define TUFF_SYMMETRIC_GLSL

struct Symmetric {
    vec3 diagonal;
    vec3 shear;
};

Symmetric symmetric_zero() {
    return Symmetric(vec3(0.0), vec3(0.0));
}

// Adds `scale` times a a^T.
void add_outer(inout Symmetric m, vec3 a, float scale) {
    m.diagonal += scale * a * a;
    m.shear += scale * a.yxx * a.zzy;
}

mat3 to_matrix(Symmetric m) {
    return mat3(m.diagonal.x, m.shear.z, m.shear.y,
                m.shear.z, m.diagonal.y, m.shear.x,
                m.shear.y, m.shear.x, m.diagonal.z);
}

Symmetric to_symmetric(mat3 m) {
    return Symmetric(vec3(m[0][0], m[1][1], m[2][2]),
                     0.5 * vec3(m[2][1] + m[1][2], m[2][0] + m[0][2], m[1][0] + m[0][1]));
}

vec3 apply(Symmetric m, vec3 v) {
    return m.diagonal * v + m.shear.zzy * v.yxx + m.shear.yxx * v.zzy;
}

// One Jacobi rotation that zeroes `apq`; `arp`, `arq` are the entries of the third row.
void rotate(inout float app, inout float aqq, inout float apq, inout float arp, inout float arq,
            inout vec3 vp, inout vec3 vq) {
    float d = aqq - app;
    float h = 2.0 * apq;
    // The denominator is at least |h|; without the bound, underflow of the squares would give a rotation by far more than 45 degrees.
    float t = (d >= 0.0 ? h : -h) / max(abs(d) + sqrt(d * d + h * h), max(abs(h), 1e-37));
    float c = inversesqrt(1.0 + t * t);
    float s = t * c;
    app -= t * apq;
    aqq += t * apq;
    apq = 0.0;
    float rp = arp;
    arp = c * rp - s * arq;
    arq = s * rp + c * arq;
    vec3 p = vp;
    vp = c * p - s * vq;
    vq = s * p + c * vq;
}

// Computes eigenvalues `w` and orthonormal eigenvectors (columns of `u`) by three cyclic Jacobi sweeps, enough for f32. Eigenvalues are
// unordered.
void eigen(Symmetric m, out vec3 w, out mat3 u) {
    vec3 d = m.diagonal;
    float yz = m.shear.x, xz = m.shear.y, xy = m.shear.z;
    vec3 ux = vec3(1.0, 0.0, 0.0), uy = vec3(0.0, 1.0, 0.0), uz = vec3(0.0, 0.0, 1.0);
    for (int sweep = 0; sweep < 3; ++sweep) {
        rotate(d.x, d.y, xy, xz, yz, ux, uy);
        rotate(d.x, d.z, xz, xy, yz, ux, uz);
        rotate(d.y, d.z, yz, xy, xz, uy, uz);
    }
    w = d;
    u = mat3(ux, uy, uz);
}

// u diag(w) u^T.
mat3 compose(mat3 u, vec3 w) {
    return mat3(u[0] * w.x, u[1] * w.y, u[2] * w.z) * transpose(u);
}

// Returns the pseudo-inverse of a positive semi-definite matrix; eigenvalues below `cutoff` times the largest are dropped, so that a
// scaled scene keeps the same rank. `flatness` is the least eigenvalue over the largest.
mat3 pseudo_inverse(Symmetric m, float cutoff, out float flatness) {
    vec3 w;
    mat3 u;
    eigen(m, w, u);
    float largest = max(max(w.x, w.y), max(w.z, 0.0));
    flatness = largest > 0.0 ? min(min(w.x, w.y), w.z) / largest : 0.0;
    bvec3 kept = greaterThan(w, vec3(cutoff * largest));
    return compose(u, mix(vec3(0.0), 1.0 / w, kept));
}

#endif
