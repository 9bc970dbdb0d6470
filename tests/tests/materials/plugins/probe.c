/* A fluid-like model in C, and, with one of the FAULT_* macros, the ways in which a library can be wrong. */
#include "tuff_material.h"

#include <math.h>

#ifndef PROBE_ID
#define PROBE_ID "probe"
#endif
#ifndef PROBE_DEFAULT
#define PROBE_DEFAULT 1000.0
#endif
#ifndef PROBE_VERSION
#define PROBE_VERSION TUFF_ABI_VERSION
#endif
#ifndef PROBE_VARIANT
#define PROBE_VARIANT TUFF_VARIANT_PRINCIPAL
#endif
#ifndef PROBE_SIZE_ERROR
#define PROBE_SIZE_ERROR 0
#endif
#ifndef PROBE_STATES
#define PROBE_STATES 1
#endif

static const TuffParameter parameters[] = {
    {TUFF_HEADER(TuffParameter), TUFF_TEXT("bulk_modulus"), TUFF_TEXT("Pa"), TUFF_TEXT("Stiffness"), TUFF_KIND_NUMBER,
     TUFF_PARAMETER_HAS_DEFAULT | TUFF_PARAMETER_MIN_EXCLUSIVE, PROBE_DEFAULT, 0.0, 1.0e6, NULL, 0, 0, NULL},
};

#define WORD(name)                                                                                                     \
    {TUFF_HEADER(TuffStateWord), TUFF_TEXT(name), TUFF_TEXT("-"), TUFF_TEXT("A word"), TUFF_STATE_EXPORTED, 0, 0.5,    \
     NULL, 0, 0}
static const TuffStateWord states[] = {WORD("a"), WORD("b"), WORD("c"), WORD("d"), WORD("e")};

static int32_t prepare(const double *values, uint32_t value_count, double *constants, uint32_t constant_count,
                       TuffError *error) {
    static const char message[] = "seven is not allowed";
    if (value_count != 1 || constant_count != 1) {
        return TUFF_STATUS_MISUSE;
    }
    if (values[0] == 7.0) {
        for (uint32_t i = 0; i < sizeof message - 1; ++i) {
            error->message[i] = (uint8_t)message[i];
        }
        error->message_length = sizeof message - 1;
        error->parameter = 0;
        return TUFF_STATUS_REFUSED;
    }
#ifdef FAULT_PREPARE_STATUS
    return TUFF_STATUS_PANIC;
#endif
#ifdef FAULT_NAN
    constants[0] = NAN;
#else
    constants[0] = values[0];
#endif
    return TUFF_STATUS_OK;
}

static int32_t project(const TuffPoint *point, TuffProjection *out) {
    double mean = (point->hencky[0] + point->hencky[1] + point->hencky[2]) / 3.0;
#ifdef FAULT_PROJECT_STATUS
    if (mean > 0.1) {
        return TUFF_STATUS_PANIC;
    }
#endif
    for (int i = 0; i < 3; ++i) {
        out->hencky[i] = mean;
    }
    for (int i = 0; i < 4; ++i) {
        out->state[i] = point->state[i];
    }
    out->state[0] += point->dt;
    out->forget = 0.0;
    out->case_id = TUFF_CASE_FLOW;
    return TUFF_STATUS_OK;
}

static int32_t energy(const TuffPoint *point, double *out) {
    double theta = point->hencky[0] + point->hencky[1] + point->hencky[2];
    *out = 0.5 * point->constants[0] * theta * theta;
#ifdef FAULT_NAN_ENERGY
    *out /= theta;
#endif
    return TUFF_STATUS_OK;
}

static int32_t kirchhoff(const TuffPoint *point, double *out) {
    double theta = point->hencky[0] + point->hencky[1] + point->hencky[2];
    for (int i = 0; i < 3; ++i) {
        out[i] = point->constants[0] * theta;
    }
    return TUFF_STATUS_OK;
}

static int32_t moduli(const TuffPoint *point, TuffModuli *out) {
    out->shear = 0.0;
    out->bulk = point->constants[0];
    return TUFF_STATUS_OK;
}

static int32_t stable_step(const double *constants, uint32_t constant_count, double density, double spacing,
                           double *step) {
    if (constant_count != 1) {
        return TUFF_STATUS_MISUSE;
    }
    *step = spacing / sqrt(constants[0] / density);
    return TUFF_STATUS_OK;
}

static const TuffMaterial material = {
    (uint32_t)sizeof(TuffMaterial) + PROBE_SIZE_ERROR,
    PROBE_VERSION,
#ifdef FAULT_NULL_ID
    {NULL, 5},
#else
    TUFF_TEXT(PROBE_ID),
#endif
    TUFF_TEXT("1.0.0"),
    TUFF_TEXT("a C studio"),
#ifdef FAULT_UTF8
    TUFF_TEXT("broken \xff text"),
#else
    TUFF_TEXT("Water without shear"),
#endif
    TUFF_TEXT("none"),
    TUFF_TEXT("probe.glsl"),
#ifdef FAULT_GLSL
    TUFF_TEXT("vec3 other_project();"),
#else
    TUFF_TEXT("/* " PROBE_ID "_project " PROBE_ID "_energy " PROBE_ID "_kirchhoff " PROBE_ID "_moduli */"),
#endif
    PROBE_VARIANT,
    TUFF_CLAIM_ISOTROPIC | TUFF_CLAIM_VOLUME_PRESERVING,
#ifdef FAULT_NULL_PARAMETERS
    NULL,
#else
    parameters,
#endif
    states,
    1,
    PROBE_STATES,
    1,
    0,
    prepare,
    project,
#ifdef FAULT_NULL_FUNCTION
    NULL,
#else
    energy,
#endif
    kirchhoff,
    moduli,
    stable_step,
    NULL,
    NULL,
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

#ifdef FAULT_ENTRY
TUFF_EXPORT const TuffMaterial *tuff_material_entry_v2(const TuffHost *host);
#define tuff_material_entry_v1 tuff_material_entry_v2
#endif

const TuffMaterial *tuff_material_entry_v1(const TuffHost *host) {
    (void)parameters;
    (void)energy;
#ifdef FAULT_NULL_TABLE
    return host != NULL ? NULL : &material;
#else
    return host != NULL ? &material : NULL;
#endif
}
