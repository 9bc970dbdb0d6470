/* A rubber of whole tensors: Hencky elasticity, a branch that relaxes in shape, and cords along x. It keeps every law that
 * `tuff material check` knows for the tensor variant. With one of the WRONG_* macros it breaks one of them, in f64 and in GLSL
 * alike; with one of the ODD_* macros in f64 alone; with one of the BAD_* macros it cannot be run to the end. */
#include "tuff_material.h"

#include <math.h>
#include <stdlib.h>

#define STRING_(text) #text
#define STRING(text) STRING_(text)

/* Added to the pressure, with theta the sum of the strains: the energy has no such term. */
#ifdef WRONG_GRADIENT
#define STRAY_STRESS(kappa, theta) (0.3 * (kappa) * (theta) * (theta))
#else
#define STRAY_STRESS(kappa, theta) 0.0
#endif

/* A stretch of b along the x of the scene, not along the cord: it does not turn with the particle. */
#ifdef WRONG_TURN
#define TURN_SHARE 1.0
#else
#define TURN_SHARE 0.0
#endif

/* Factor of the branch's strain after a step: what grows gains energy. */
#ifdef WRONG_ENERGY
#define KEPT_AFTER(kept) (2.0 - (kept))
#else
#define KEPT_AFTER(kept) (kept)
#endif

/* F is looked at in both cases. */
#ifdef WRONG_NEEDS
#define NEEDS TUFF_NEEDS_BRANCH
#else
#define NEEDS (TUFF_NEEDS_BRANCH | TUFF_NEEDS_DEFORMATION)
#endif

/* A cubic law, which is below zero where it is pressed together far enough. */
#ifdef ODD_SIGN
#define ODD_ENERGY (0.5 * c[BULK] * theta * theta * theta)
#define ODD_PRESSURE (1.5 * c[BULK] * theta * theta)
#else
#define ODD_ENERGY 0.0
#define ODD_PRESSURE 0.0
#endif

/* Moduli of half the stiffness. */
#ifdef WRONG_MODULI
#define STIFFEST 0.5
#else
#define STIFFEST 1.0
#endif

/* F is asked for and never looked at. */
#ifdef NOTE_IDLE
#define CORD_SHARE 0.0
#else
#define CORD_SHARE 1.0
#endif

/* What does not hold is claimed. */
#if defined(ODD_CLAIM_RATE)
#define CLAIMS (TUFF_CLAIM_DISSIPATIVE | TUFF_CLAIM_RATE_INDEPENDENT)
#elif defined(ODD_CLAIM_ISOTROPIC)
#define CLAIMS (TUFF_CLAIM_DISSIPATIVE | TUFF_CLAIM_ISOTROPIC)
#elif defined(ODD_VOLUME)
#define CLAIMS TUFF_CLAIM_VOLUME_PRESERVING
#else
#define CLAIMS (TUFF_CLAIM_DISSIPATIVE | TUFF_CLAIM_VOLUME_PRESERVING)
#endif

/* Prepared constants. */
enum { SHEAR, BULK, BRANCH, TIME, CORD, CONSTANT_COUNT };

#define ABOVE (TUFF_PARAMETER_HAS_DEFAULT | TUFF_PARAMETER_MIN_EXCLUSIVE)
#define NUMBER(name, unit, help, usual)                                                                                \
    {TUFF_HEADER(TuffParameter), TUFF_TEXT(name), TUFF_TEXT(unit), TUFF_TEXT(help), TUFF_KIND_NUMBER, ABOVE, usual,    \
     0.0, INFINITY, NULL, 0, 0, NULL, 0.0}

static const TuffParameter parameters[] = {
    NUMBER("shear_modulus", "Pa", "Shear modulus of the solid", 1e5),
    NUMBER("bulk_modulus", "Pa", "Bulk modulus", 2e5),
    NUMBER("branch_modulus", "Pa", "Shear modulus that the branch adds before it relaxes", 1e5),
    NUMBER("relaxation_time", "s", "Time in which the branch's stress falls to 1/e", 1e-3),
    NUMBER("cord_stiffness", "Pa", "Stiffness of the cords", 2e4),
};

static int32_t prepare(const double *values, uint32_t value_count, double *constants, uint32_t constant_count,
                       TuffError *error) {
    (void)error;
    if (value_count != CONSTANT_COUNT || constant_count != CONSTANT_COUNT) {
        return TUFF_STATUS_MISUSE;
    }
    for (int i = 0; i < CONSTANT_COUNT; ++i) {
        constants[i] = values[i];
    }
    return TUFF_STATUS_OK;
}

static const int ROW[6] = {0, 1, 2, 1, 0, 0}, COLUMN[6] = {0, 1, 2, 2, 2, 1};

/* The deviator e of Hencky strains; returns their sum. */
static double split(const double hencky[3], double e[3]) {
    double theta = hencky[0] + hencky[1] + hencky[2];
    for (int i = 0; i < 3; ++i) {
        e[i] = hencky[i] - theta / 3.0;
    }
    return theta;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* sum of values[k] a_k a_k^T. */
static void add_composed(const TuffStretch *stretch, const double values[3], double out[6]) {
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            out[i] += values[k] * stretch->axes[3 * k + ROW[i]] * stretch->axes[3 * k + COLUMN[i]];
        }
    }
}

/* x - 1 - ln x for x > 0, with series near 1. */
static double remainder_of(double x) {
    double t = log(x);
    return fabs(t) < 1e-2 ? 0.5 * t * t * (1.0 + t / 3.0 * (1.0 + t / 4.0 * (1.0 + t / 5.0))) : x - 1.0 - t;
}

/* Squared length of a row or column of F, as the engine limits strains. */
static double limited(double stretch2) { return stretch2 < 1e-4 ? 1e-4 : stretch2; }

static double kept(const TuffTensorPoint *p) { return p->constants[TIME] / (p->constants[TIME] + p->dt); }

/* Energy with a branch of some stiffness; stress is added to `kirchhoff` unless that is null. */
static double elastic(const TuffTensorPoint *p, double branch_modulus, double *kirchhoff) {
    const double *c = p->constants, *F = p->deformation;
    double e[3], branch[3], solid_stress[3], branch_stress[3];
    double theta = split(p->strain.hencky, e);
    split(p->branch.hencky, branch);
    double cord[3] = {F[0], F[3], F[6]};
    double b[3] = {dot(F, F), dot(F, F + 3), dot(F, F + 6)};
    double cord2 = limited(dot(cord, cord)), fixed2 = limited(b[0]);
    double cord_stiffness = CORD_SHARE * c[CORD], fixed_stiffness = TURN_SHARE * c[CORD];
    double energy = c[SHEAR] * dot(e, e) + 0.5 * c[BULK] * theta * theta + branch_modulus * dot(branch, branch)
                    + 0.5 * cord_stiffness * remainder_of(cord2) + 0.5 * fixed_stiffness * remainder_of(fixed2);
    energy += ODD_ENERGY;
    if (kirchhoff == NULL) {
        return energy;
    }
    for (int i = 0; i < 3; ++i) {
        solid_stress[i] = 2.0 * c[SHEAR] * e[i] + c[BULK] * theta + ODD_PRESSURE + STRAY_STRESS(c[BULK], theta);
        branch_stress[i] = 2.0 * branch_modulus * branch[i];
    }
    add_composed(&p->strain, solid_stress, kirchhoff);
    add_composed(&p->branch, branch_stress, kirchhoff);
    for (int i = 0; i < 6; ++i) {
        kirchhoff[i] += cord_stiffness * (1.0 - 1.0 / cord2) * cord[ROW[i]] * cord[COLUMN[i]];
        double turn = 0.5 * ((ROW[i] == 0) * b[COLUMN[i]] + (COLUMN[i] == 0) * b[ROW[i]]);
        kirchhoff[i] += fixed_stiffness * (1.0 - 1.0 / fixed2) * turn;
    }
    return energy;
}

static int32_t respond(const TuffTensorPoint *point, TuffTensorResponse *out) {
    for (int i = 0; i < 6; ++i) {
        out->kirchhoff[i] = 0.0;
    }
    out->energy = elastic(point, kept(point) * point->constants[BRANCH], out->kirchhoff);
#ifdef ODD_MEMORY
    static volatile unsigned calls = 0;
    out->energy *= calls++ % 2 == 0 ? 1.0 : 1.0 + 1e-15;
#endif
#ifdef BAD_LOOP
    volatile int forever = point->strain.hencky[0] > 0.2 && point->dt > 0.0;
    while (forever) {
    }
#endif
#ifdef BAD_NAN
    if (point->strain.hencky[0] > 4.0) {
        out->kirchhoff[3] = NAN;
    }
#endif
    return TUFF_STATUS_OK;
}

static int32_t advance(const TuffTensorPoint *point, TuffTensorUpdate *out) {
    double e[3], share = KEPT_AFTER(kept(point));
    double theta = split(point->branch.hencky, e);
    for (int i = 0; i < 4; ++i) {
        out->state[i] = point->state[i];
    }
    out->strain = point->strain;
    out->branch = point->branch;
    for (int i = 0; i < 3; ++i) {
        out->branch.hencky[i] = share * e[i] + theta / 3.0;
    }
#ifdef ODD_VOLUME
    for (int i = 0; i < 3; ++i) {
        out->strain.hencky[i] *= 0.9 + 0.1 * kept(point);
    }
#endif
#ifdef ODD_TWICE
    for (int i = 0; i < 3; ++i) {
        out->branch.hencky[i] = 0.9 * share * e[i] + theta / 3.0;
    }
#endif
#ifdef ODD_AXES
    for (int i = 0; i < 9; ++i) {
        out->branch.axes[i] *= 1.0 + 2e-10;
    }
#endif
    out->forget = 1.0;
#ifdef ODD_ORDER
    out->forget /= 1.0 + point->strain.hencky[0] * point->strain.hencky[0];
#endif
#ifdef ODD_INDEX
    out->forget += 0.0 * point->constants[CONSTANT_COUNT];
#endif
#ifdef NOTE_NAN_STATUS
    if (isnan(point->strain.hencky[0])) {
        return TUFF_STATUS_PANIC;
    }
#endif
    out->case_id = share < 1.0 ? TUFF_CASE_FLOW : TUFF_CASE_ELASTIC;
    out->reserved = 0;
    return TUFF_STATUS_OK;
}

static int32_t energy(const TuffTensorPoint *point, double *out) {
    *out = elastic(point, point->constants[BRANCH], NULL);
    return TUFF_STATUS_OK;
}

/* Enough for the cords, which add to every direction. */
static int32_t moduli(const TuffPoint *point, TuffModuli *out) {
    const double *c = point->constants;
    out->shear = STIFFEST * (c[SHEAR] + c[BRANCH] + c[CORD] * (1.0 + TURN_SHARE));
    out->bulk = STIFFEST * (c[BULK] + c[CORD] * (1.0 + TURN_SHARE));
    return TUFF_STATUS_OK;
}

static int32_t stable_step(const double *constants, uint32_t constant_count, double density, double spacing,
                           double *step) {
    if (constant_count != CONSTANT_COUNT) {
        return TUFF_STATUS_MISUSE;
    }
    TuffModuli stiffest = {TUFF_HEADER(TuffModuli), 0.0, 0.0};
    TuffPoint point = {.constants = constants};
    moduli(&point, &stiffest);
    *step = spacing / sqrt((stiffest.bulk + 4.0 / 3.0 * stiffest.shear) / density);
    return TUFF_STATUS_OK;
}

#ifdef BAD_GLSL
#define CORD_OF_F "point.deformation[O]"
#else
#define CORD_OF_F "point.deformation[0]"
#endif
/* A factor of the stress that only the GLSL has, and axes that are rows where they should be columns. */
#ifdef WRONG_GLSL
#define STRESS_FACTOR "1.0001 * "
#else
#define STRESS_FACTOR ""
#endif
#ifdef WRONG_GLSL_AXES
#define AXES "transpose(point.branch.axes)"
#else
#define AXES "point.branch.axes"
#endif
#ifdef WRONG_GLSL_ADVANCE
#define FORGOTTEN "0.9 * "
#else
#define FORGOTTEN ""
#endif
#ifdef WRONG_GLSL_ENERGY
#define ENERGY_LOSS " - 1.0e-8 * constant(c, 0u)"
#else
#define ENERGY_LOSS ""
#endif

static const char glsl[] =
    "float rubber_kept(uint c, float dt) { return constant(c, 3u) / (constant(c, 3u) + dt); }\n"
    "float rubber_remainder(float stretch2) { return exp_remainder(log1p_(stretch2 - 1.0)); }\n"
    "float rubber_elastic(uint c, TensorPoint point, float branch, out mat3 tau) {\n"
    "    float theta = trace(point.strain.hencky);\n"
    "    vec3 solid = hencky_kirchhoff(constant(c, 0u), constant(c, 1u), point.strain.hencky)\n"
    "        + " STRING(STRAY_STRESS(constant(c, 1u), theta)) ";\n"
    "    vec3 cord = " CORD_OF_F ";\n"
    "    vec3 b = point.deformation * transpose(point.deformation)[0];\n"
    "    float cord2 = max(dot(cord, cord), 1.0e-4), fixed2 = max(b.x, 1.0e-4);\n"
    "    float stiffness = " STRING(CORD_SHARE) " * constant(c, 4u), other = " STRING(TURN_SHARE) " * constant(c, 4u);\n"
    "    mat3 turn = outerProduct(vec3(1.0, 0.0, 0.0), 0.5 * b);\n"
    "    tau = " STRESS_FACTOR "(compose(point.strain.axes, solid)\n"
    "        + compose(" AXES ", hencky_kirchhoff(branch, 0.0, point.branch.hencky))\n"
    "        + stiffness * ((cord2 - 1.0) / cord2) * outerProduct(cord, cord)\n"
    "        + other * ((fixed2 - 1.0) / fixed2) * (turn + transpose(turn)));\n"
    "    return hencky_energy(constant(c, 0u), constant(c, 1u), point.strain.hencky)\n"
    "        + hencky_energy(branch, 0.0, point.branch.hencky)\n"
    "        + 0.5 * (stiffness * rubber_remainder(cord2) + other * rubber_remainder(fixed2))" ENERGY_LOSS ";\n"
    "}\n"
    "float rubber_respond(uint c, vec4 state, float dt, TensorPoint point, out mat3 kirchhoff) {\n"
    "    return rubber_elastic(c, point, rubber_kept(c, dt) * constant(c, 2u), kirchhoff);\n"
    "}\n"
    "float rubber_advance(uint c, inout vec4 state, float dt, inout TensorPoint point) {\n"
    "    vec3 e = deviator(point.branch.hencky);\n"
    "    float kept = rubber_kept(c, dt);\n"
    "    point.branch.hencky += " FORGOTTEN "(" STRING(KEPT_AFTER(kept)) " - 1.0) * e;\n"
    "    return 1.0;\n"
    "}\n"
    "float rubber_energy(uint c, vec4 state, TensorPoint point) {\n"
    "    mat3 tau;\n"
    "    return rubber_elastic(c, point, constant(c, 2u), tau);\n"
    "}\n"
    "vec2 rubber_moduli(uint c, vec4 state) {\n"
    "    float cord = constant(c, 4u) * (1.0 + " STRING(TURN_SHARE) ");\n"
    "    return " STRING(STIFFEST) " * vec2(constant(c, 0u) + constant(c, 2u) + cord, constant(c, 1u) + cord);\n"
    "}\n";

static const TuffTensor tensor = {TUFF_HEADER(TuffTensor), NEEDS, 0, respond, advance, energy};

static const TuffMaterial material = {
    TUFF_HEADER(TuffMaterial),
    TUFF_TEXT("rubber"),
    TUFF_TEXT("1.0.0"),
    TUFF_TEXT("a C studio"),
    TUFF_TEXT("Rubber with cords along x that creeps"),
    TUFF_TEXT("none"),
    TUFF_TEXT("rubber.glsl"),
    TUFF_TEXT(glsl),
    TUFF_VARIANT_TENSOR,
    CLAIMS,
    parameters,
    NULL,
    CONSTANT_COUNT,
    0,
    CONSTANT_COUNT,
    0,
    prepare,
    NULL,
    NULL,
    NULL,
    moduli,
    stable_step,
    NULL,
    &tensor,
    {NULL, NULL, NULL, NULL, NULL, NULL},
    NULL,
};

const TuffMaterial *tuff_material_entry_v1(const TuffHost *host) { return host != NULL ? &material : NULL; }
