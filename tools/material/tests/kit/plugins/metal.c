/* A metal: Hencky elasticity up to a yield strain, with the plastic strain so far as state word. It keeps every law that
 * `tuff material check` knows. With one of the WRONG_* macros it breaks one of them, in f64 and in GLSL alike; with one of
 * the ODD_* macros in f64 alone; with one of the NOTE_* macros something is of no use; with one of the BAD_* macros it cannot
 * be run to the end. With SLOW its flow takes a millisecond, in f64 alone. */
#include "tuff_material.h"

#include <math.h>
#include <stdlib.h>

#define STRING_(text) #text
#define STRING(text) STRING_(text)

/* Added to every stress, with theta the sum of the strains: the energy has no such term. */
#ifdef WRONG_GRADIENT
#define STRAY_STRESS(kappa, theta) (0.3 * (kappa) * (theta) * (theta))
#else
#define STRAY_STRESS(kappa, theta) 0.0
#endif

/* Deviatoric strain to which flow returns, from `size` with the yield strain r. */
#if defined(WRONG_SURFACE_INSIDE)
#define LANDING(r, size) (0.9 * (r))
#elif defined(WRONG_SURFACE_OUTSIDE)
#define LANDING(r, size) ((r) + 0.1 * ((size) - (r)))
#else
#define LANDING(r, size) (r)
#endif

/* Growth of the volume per plastic strain: what is stretched already is stretched further, and gains energy. */
#ifdef WRONG_ENERGY
#define DILATION 2.0
#define VOLUME_CLAIM 0u
#else
#define DILATION 0.0
#define VOLUME_CLAIM TUFF_CLAIM_VOLUME_PRESERVING
#endif

/* A yield strain of 0 has no inverse. */
#ifdef WRONG_RANGE
#define YIELD_FLAGS TUFF_PARAMETER_HAS_DEFAULT
#else
#define YIELD_FLAGS (TUFF_PARAMETER_HAS_DEFAULT | TUFF_PARAMETER_MIN_EXCLUSIVE)
#endif

/* Flow that takes time. */
#ifdef SLOW
#define RATE_CLAIM 0u
#else
#define RATE_CLAIM TUFF_CLAIM_RATE_INDEPENDENT
#endif

/* Prepared constants. */
#ifdef ODD_PAIR
enum { SHEAR, BULK, YIELD_STRAIN, INVERSE_YIELD_STRAIN, BOTH, CONSTANT_COUNT };
enum { PARAMETER_COUNT = 5 };
#else
enum { SHEAR, BULK, YIELD_STRAIN, INVERSE_YIELD_STRAIN, CONSTANT_COUNT };
#ifdef NOTE_PARAMETER
enum { PARAMETER_COUNT = 4 };
#else
enum { PARAMETER_COUNT = 3 };
#endif
#endif

#define NUMBER(name, unit, help, flags, usual, min, max)                                                               \
    {TUFF_HEADER(TuffParameter), TUFF_TEXT(name), TUFF_TEXT(unit), TUFF_TEXT(help), TUFF_KIND_NUMBER, flags, usual,    \
     min, max, NULL, 0, 0, NULL, 0.0}
#define ABOVE (TUFF_PARAMETER_HAS_DEFAULT | TUFF_PARAMETER_MIN_EXCLUSIVE)

static const TuffParameter parameters[] = {
    NUMBER("shear_modulus", "Pa", "Shear modulus", ABOVE, 1e5, 0.0, INFINITY),
    NUMBER("bulk_modulus", "Pa", "Bulk modulus", ABOVE, 2e5, 0.0, INFINITY),
    NUMBER("yield_strain", "-", "Deviatoric strain at which it flows", YIELD_FLAGS, 0.01, 0.0, 1.0),
#ifdef ODD_PAIR
    NUMBER("cohesion", "Pa", "Of no use alone", TUFF_PARAMETER_HAS_DEFAULT, 0.0, 0.0, INFINITY),
    NUMBER("cut_off", "Pa", "Of no use alone", TUFF_PARAMETER_HAS_DEFAULT, 0.0, 0.0, INFINITY),
#endif
#ifdef NOTE_PARAMETER
    NUMBER("hardness", "-", "Of no use", TUFF_PARAMETER_HAS_DEFAULT, 1.0, 0.0, INFINITY),
#endif
};

static const TuffStateWord states[] = {
    {TUFF_HEADER(TuffStateWord), TUFF_TEXT("plastic_strain"), TUFF_TEXT("-"), TUFF_TEXT("Plastic strain so far"),
     TUFF_STATE_EXPORTED, 0, 0.0, NULL, 0, 0},
};

static int32_t prepare(const double *values, uint32_t value_count, double *constants, uint32_t constant_count,
                       TuffError *error) {
    (void)error;
    if (value_count != PARAMETER_COUNT || constant_count != CONSTANT_COUNT) {
        return TUFF_STATUS_MISUSE;
    }
    constants[SHEAR] = values[0];
    constants[BULK] = values[1];
    constants[YIELD_STRAIN] = values[2];
    constants[INVERSE_YIELD_STRAIN] = 1.0 / values[2];
#ifdef ODD_PAIR
    constants[BOTH] = values[3] > 0.0 && values[4] > 0.0;
#endif
    return TUFF_STATUS_OK;
}

static double split(const double hencky[3], double *theta, double e[3]) {
    *theta = hencky[0] + hencky[1] + hencky[2];
    for (int i = 0; i < 3; ++i) {
        e[i] = hencky[i] - *theta / 3.0;
    }
    return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

static int32_t project(const TuffPoint *point, TuffProjection *out) {
    double theta, e[3];
    double size = split(point->hencky, &theta, e);
    double radius = point->constants[YIELD_STRAIN];
    int flows = size * point->constants[INVERSE_YIELD_STRAIN] > 1.0 + 1e-9;
#ifdef BAD_STATUS
    if (point->constants[BULK] > 1e9) {
        return TUFF_STATUS_PANIC;
    }
#endif
#ifdef BAD_LOOP
    volatile int forever = point->hencky[0] > 0.24;
    while (forever) {
    }
#endif
#ifdef BAD_CRASH
    if (point->hencky[0] > 0.24) {
        abort();
    }
#endif
#ifdef BAD_EXIT
    if (point->hencky[0] > 0.24) {
        exit(0);
    }
#endif
    double landing = LANDING(radius, size);
#if defined(SLOW) && !defined(NOTE_STEP)
    landing = size + (size - landing) * expm1(-point->dt / 1e-3);
#endif
#ifdef ODD_RATE
    landing *= 1.0 + point->dt;
#endif
#ifdef ODD_UNLOADING
    if (size > 0.4 * radius && size < 0.5 * radius) {
        flows = 1;
        landing = 0.4 * radius;
    }
#endif
#ifdef ODD_VOLUME
    theta *= flows ? 0.9 : 1.0;
#endif
    double scale = flows ? landing / size : 1.0;
    double flow = flows ? size - landing : 0.0;
    for (int i = 0; i < 3; ++i) {
        out->hencky[i] = flows ? (theta + DILATION * flow) / 3.0 + scale * e[i] : point->hencky[i];
    }
    for (int i = 0; i < 4; ++i) {
        out->state[i] = point->state[i];
    }
#ifndef NOTE_STATE
    out->state[0] += flow;
#endif
#ifdef NOTE_NAN
    for (int i = 0; i < 3; ++i) {
        out->hencky[i] = isnan(size) ? 0.0 : out->hencky[i];
    }
#endif
    out->forget = size < 1e-7 ? 1.0 : scale;
#ifdef ODD_FORGET
    out->forget = 1.0;
#endif
#ifdef ODD_INDEX
    out->state[0] += 0.0 * point->constants[CONSTANT_COUNT];
#endif
#ifdef NOTE_NAN_STATUS
    if (isnan(size)) {
        return TUFF_STATUS_PANIC;
    }
#endif
    out->case_id = flows ? TUFF_CASE_FLOW : TUFF_CASE_ELASTIC;
    return TUFF_STATUS_OK;
}

static int32_t energy(const TuffPoint *point, double *out) {
    double theta, e[3];
    double size = split(point->hencky, &theta, e);
    *out = point->constants[SHEAR] * size * size + 0.5 * point->constants[BULK] * theta * theta;
#ifdef ODD_DIRECTION
    *out += 0.005 * point->constants[SHEAR] * e[0] * e[0];
#endif
#ifdef ODD_SIGN
    *out += 0.5 * point->constants[BULK] * theta * theta * theta;
#endif
#ifdef ODD_MEMORY
    static volatile unsigned calls = 0;
    *out *= calls++ % 2 == 0 ? 1.0 : 1.0 + 1e-15;
#endif
#ifdef BAD_NAN_LOOP
    volatile int forever = isnan(theta);
    while (forever) {
    }
#endif
#ifdef WRONG_AT_REST
    *out *= size / size;
#endif
#ifdef BAD_NAN
    if (theta > 4.0) {
        *out = NAN;
    }
#endif
    return TUFF_STATUS_OK;
}

static int32_t kirchhoff(const TuffPoint *point, double *out) {
    double theta, e[3];
    split(point->hencky, &theta, e);
    double mean = point->constants[BULK] * theta + STRAY_STRESS(point->constants[BULK], theta);
#ifdef ODD_PAIR
    mean += 0.3 * point->constants[BOTH] * point->constants[BULK] * theta * theta;
#endif
#ifdef ODD_SIGN
    mean += 1.5 * point->constants[BULK] * theta * theta;
#endif
    for (int i = 0; i < 3; ++i) {
        out[i] = 2.0 * point->constants[SHEAR] * e[i] + mean;
#ifdef ODD_DIRECTION
        out[i] += 0.01 * point->constants[SHEAR] * e[0] * ((i == 0) - 1.0 / 3.0);
#endif
    }
    return TUFF_STATUS_OK;
}

/* Several particles in one call. */
static int32_t stress(const TuffBatch *batch, double *out) {
    const double *c = batch->constants;
    for (uint32_t i = 0; i < batch->count; ++i) {
        TuffPoint point = {TUFF_HEADER(TuffPoint), c, batch->constant_count, 0, {0.0}, {0.0}, batch->dt};
        TuffProjection projection = {TUFF_HEADER(TuffProjection), 0, 0, {0.0}, {0.0}, 0.0};
        for (int axis = 0; axis < 3; ++axis) {
            point.hencky[axis] = batch->hencky[axis * batch->stride + i];
        }
        for (int word = 0; word < 4; ++word) {
            point.state[word] = batch->state[4 * i + word];
        }
        project(&point, &projection);
#ifdef ODD_BATCH
        if (i == 0)
#endif
            for (int axis = 0; axis < 3; ++axis) {
                point.hencky[axis] = projection.hencky[axis];
            }
        double tau[3];
        kirchhoff(&point, tau);
        for (int axis = 0; axis < 3; ++axis) {
            out[axis * batch->stride + i] = tau[axis];
        }
    }
    return TUFF_STATUS_OK;
}

static int32_t moduli(const TuffPoint *point, TuffModuli *out) {
    out->shear = point->constants[SHEAR];
#ifdef ODD_MODULI
    out->shear *= 1.1;
#endif
    out->bulk = point->constants[BULK];
    return TUFF_STATUS_OK;
}

static int32_t stable_step(const double *constants, uint32_t constant_count, double density, double spacing,
                           double *step) {
    if (constant_count != CONSTANT_COUNT) {
        return TUFF_STATUS_MISUSE;
    }
    *step = spacing / sqrt((constants[BULK] + 4.0 / 3.0 * constants[SHEAR]) / density);
    return TUFF_STATUS_OK;
}

#ifdef BAD_GLSL
#define RADIUS "radius"
#elif defined(WRONG_GLSL_INDEX)
#define RADIUS "constant(c, 4u)"
#else
#define RADIUS "constant(c, 2u)"
#endif
/* The compiler cannot see that it never ends. */
#ifdef BAD_GLSL_LOOP
#define LOOP                                                                                                           \
    "    for (uint k = 1u; hencky.x > 0.24; ++k) { state.y = float(k) * 1.0e-30; hencky.x += k == 0u ? -1.0 : 0.0; }\n"
#else
#define LOOP ""
#endif
/* A form of the energy that cancels near rest: wrong by rounding, but negative. */
#ifdef WRONG_GLSL_ENERGY
#define ENERGY_LOSS " - 1.0e-8 * constant(c, 0u)"
#else
#define ENERGY_LOSS ""
#endif
/* A factor of the stress that only the GLSL has. */
#ifdef WRONG_GLSL
#define STRESS_FACTOR "1.0001 * "
#elif defined(WRONG_GLSL_ORDER)
#define STRESS_FACTOR "vec3(1.01, 1.0, 1.0) * "
#else
#define STRESS_FACTOR ""
#endif

/* What the text leaves to the shader around it: a macro, or a function that any model may have. */
#ifdef NOTE_MACRO
#define REMAINS "#define p 1.0\n#define main 2.0\n"
#elif defined(WRONG_GLSL_NAME)
#define REMAINS "float square(float x) { return x * x; }\n"
#elif defined(WRONG_GLSL_CLASH)
#define REMAINS "float kernel_slope(float x, float r) { return x * r; }\n"
#else
#define REMAINS ""
#endif

static const char glsl[] = REMAINS
    "vec3 metal_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {\n"
    "    vec3 e = deviator(hencky);\n"
    "    float size = length(e);\n" LOOP
    "    float r = " RADIUS ";\n"
    "    bool flows = size > r;\n"
    "    float scale = flows ? " STRING(LANDING(r, size)) " / size : 1.0;\n"
    "    float flow = flows ? size - " STRING(LANDING(r, size)) " : 0.0;\n"
    "    state.x += flow;\n"
    "    forget = size < REST_STRAIN ? 1.0 : scale;\n"
    "    return flows ? (trace(hencky) + " STRING(DILATION) " * flow) * (1.0 / 3.0) + scale * e : hencky;\n"
    "}\n"
    "float metal_energy(uint c, vec4 state, vec3 hencky) {\n"
    "    return hencky_energy(constant(c, 0u), constant(c, 1u), hencky)" ENERGY_LOSS ";\n"
    "}\n"
    "vec3 metal_kirchhoff(uint c, vec4 state, vec3 hencky) {\n"
    "    float theta = trace(hencky);\n"
    "    return " STRESS_FACTOR "hencky_kirchhoff(constant(c, 0u), constant(c, 1u), hencky)\n"
    "        + " STRING(STRAY_STRESS(constant(c, 1u), theta)) ";\n"
    "}\n"
    "vec2 metal_moduli(uint c, vec4 state) {\n"
    "    return vec2(constant(c, 0u), constant(c, 1u));\n"
    "}\n";

static const TuffMaterial material = {
    TUFF_HEADER(TuffMaterial),
    TUFF_TEXT("metal"),
    TUFF_TEXT("1.0.0"),
    TUFF_TEXT("a C studio"),
    TUFF_TEXT("Elastic up to a strain, then flows"),
    TUFF_TEXT("none"),
    TUFF_TEXT("metal.glsl"),
    TUFF_TEXT(glsl),
    TUFF_VARIANT_PRINCIPAL,
    TUFF_CLAIM_ISOTROPIC | RATE_CLAIM | TUFF_CLAIM_DISSIPATIVE | VOLUME_CLAIM,
    parameters,
    states,
    PARAMETER_COUNT,
    1,
    CONSTANT_COUNT,
    0,
    prepare,
    project,
    energy,
    kirchhoff,
    moduli,
    stable_step,
    NULL,
    NULL,
    {NULL, NULL, NULL, NULL, NULL, NULL},
    stress,
};

const TuffMaterial *tuff_material_entry_v1(const TuffHost *host) {
#ifdef BAD_LOAD
    abort();
#endif
    return host != NULL ? &material : NULL;
}
