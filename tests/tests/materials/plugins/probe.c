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
#ifndef PROBE_PARAMETERS
#define PROBE_PARAMETERS 1
#endif
#ifndef PROBE_CONSTANTS
#define PROBE_CONSTANTS 1
#endif
/* What the descriptions of the parameter and the state words lie about their sizes. */
#ifndef PROBE_PARAMETER_SIZE_ERROR
#define PROBE_PARAMETER_SIZE_ERROR 0
#endif
#ifndef PROBE_WORD_SIZE_ERROR
#define PROBE_WORD_SIZE_ERROR 0
#endif
#ifndef PROBE_GLSL_NAME
#define PROBE_GLSL_NAME "probe.glsl"
#endif
#ifndef PROBE_KIND
#define PROBE_KIND TUFF_KIND_NUMBER
#endif
#ifndef PROBE_CHOICES
#define PROBE_CHOICES 0
#endif
#ifndef PROBE_WORD
#define PROBE_WORD "a"
#endif
#ifndef PROBE_PARAMETER
#define PROBE_PARAMETER "bulk_modulus"
#endif
#ifndef PROBE_REFUSED
#define PROBE_REFUSED 7.0
#endif
/* Growth of the first state word per second. */
#ifndef PROBE_RATE
#define PROBE_RATE 1.0
#endif
/* Growth in the GLSL text. */
#ifndef PROBE_GLSL_RATE
#define PROBE_GLSL_RATE PROBE_RATE
#endif
/* How much the constant is of the parameter. */
#ifndef PROBE_SCALE
#define PROBE_SCALE 1.0
#endif

#if defined(FAULT_HANG_PREPARE) || defined(FAULT_HANG_PROJECT) || defined(FAULT_HANG_ENTRY) || defined(FAULT_HANG_LOAD)
static volatile int forever = 1;
#define HANG() while (forever) {}
#endif

#ifdef PROBE_TYPICAL
#define TYPICAL_FLAG TUFF_PARAMETER_HAS_TYPICAL
#else
#define TYPICAL_FLAG 0u
#define PROBE_TYPICAL 0.0
#endif
#ifndef PROBE_PARAMETER_VERSION
#define PROBE_PARAMETER_VERSION TUFF_ABI_VERSION
#endif

static const TuffParameter parameters[] = {
    {sizeof(TuffParameter) + PROBE_PARAMETER_SIZE_ERROR, PROBE_PARAMETER_VERSION, TUFF_TEXT(PROBE_PARAMETER), TUFF_TEXT("Pa"), TUFF_TEXT("Stiffness"), PROBE_KIND,
     TUFF_PARAMETER_HAS_DEFAULT | TUFF_PARAMETER_MIN_EXCLUSIVE | TYPICAL_FLAG, PROBE_DEFAULT, 0.0, 1.0e6, NULL, PROBE_CHOICES, 0, NULL, PROBE_TYPICAL},
};

#define WORD(name)                                                                                                     \
    {sizeof(TuffStateWord) + PROBE_WORD_SIZE_ERROR, TUFF_ABI_VERSION, TUFF_TEXT(name), TUFF_TEXT("-"), TUFF_TEXT("A word"), TUFF_STATE_EXPORTED, 0, 0.5,    \
     NULL, 0, 0}
static const TuffStateWord states[] = {WORD(PROBE_WORD), WORD("b"), WORD("c"), WORD("d"), WORD("e")};

static int32_t prepare(const double *values, uint32_t value_count, double *constants, uint32_t constant_count,
                       TuffError *error) {
    static const char message[] = "seven is not allowed";
    if (value_count != 1 || constant_count != 1) {
        return TUFF_STATUS_MISUSE;
    }
#ifdef FAULT_HANG_PREPARE
    HANG()
#endif
    if (values[0] == PROBE_REFUSED) {
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
    constants[0] = PROBE_SCALE * values[0];
#endif
#ifdef FAULT_MANY_CONSTANTS
    constants[1] = 1.0;
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
#ifdef FAULT_HANG_PROJECT
    HANG()
#endif
#ifdef FAULT_PROJECT_LATER
    if (mean < -1.0e-6) {
        return TUFF_STATUS_PANIC;
    }
#endif
#ifdef FAULT_NAN_LATER
    mean = mean < -1.0e-6 ? NAN : mean;
#endif
    for (int i = 0; i < 3; ++i) {
        out->hencky[i] = mean;
    }
    for (int i = 0; i < 4; ++i) {
        out->state[i] = point->state[i];
    }
    out->state[0] += PROBE_RATE * point->dt;
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
#ifdef FAULT_NAN_STRESS
        out[i] = theta < -1.0e-6 ? NAN : out[i];
#endif
    }
    return TUFF_STATUS_OK;
}

#ifdef PROBE_STRESS
/* 1, 2, 3 ... as first stress of the particles, and 10 times as much as second. */
static int32_t stress(const TuffBatch *batch, double *out) {
    for (uint32_t i = 0; i < batch->count; ++i) {
        out[i] = 1.0 + i;
        out[batch->stride + i] = 10.0 * (1.0 + i);
        out[2 * batch->stride + i] = batch->hencky[2 * batch->stride + i] + batch->state[4 * i] + batch->dt;
    }
    return batch->dt > 0.1 ? PROBE_STRESS : TUFF_STATUS_OK;
}
#else
#define stress NULL
#endif

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

#define WRITTEN(value) #value
#define TEXT_OF(value) WRITTEN(value)
#ifdef FAULT_GLSL_SYNTAX
#define GLSL_GROWTH "banana"
#else
#define GLSL_GROWTH TEXT_OF(PROBE_GLSL_RATE)
#endif
#ifdef FAULT_GLSL_SIGNATURE
#define GLSL_STATE "vec3 state"
#else
#define GLSL_STATE "vec4 state"
#endif
#ifdef FAULT_GLSL_NAN
#define GLSL_MEAN "trace(hencky) < -1.0e-6 ? uintBitsToFloat(0x7fc00000u) : trace(hencky) / 3.0"
#else
#define GLSL_MEAN "trace(hencky) / 3.0"
#endif
#ifdef FAULT_NAN_STRESS
#define GLSL_STRESS "trace(hencky) < -1.0e-6 ? uintBitsToFloat(0x7fc00000u) : constant(c, 0u) * trace(hencky)"
#else
#define GLSL_STRESS "constant(c, 0u) * trace(hencky)"
#endif
#define GLSL                                                                                                           \
    "vec3 " PROBE_ID "_project(uint c, inout vec4 state, float dt, vec3 hencky, out float forget) {\n"                 \
    "    state.x += " GLSL_GROWTH " * dt;\n"                                                                           \
    "    forget = 0.0;\n"                                                                                              \
    "    return vec3(" GLSL_MEAN ");\n"                                                                                \
    "}\n"                                                                                                              \
    "float " PROBE_ID "_energy(uint c, vec4 state, vec3 hencky) {\n"                                                   \
    "    return 0.5 * constant(c, 0u) * trace(hencky) * trace(hencky);\n"                                              \
    "}\n"                                                                                                              \
    "vec3 " PROBE_ID "_kirchhoff(uint c, vec4 state, vec3 hencky) {\n"                                                 \
    "    return vec3(" GLSL_STRESS ");\n"                                                                             \
    "}\n"                                                                                                              \
    "vec2 " PROBE_ID "_moduli(uint c, " GLSL_STATE ") {\n"                                                             \
    "    return vec2(0.0, constant(c, 0u));\n"                                                                         \
    "}\n"

static const TuffMaterial material = {
    (uint32_t)sizeof(TuffMaterial) + PROBE_SIZE_ERROR,
    PROBE_VERSION,
#if defined(FAULT_NULL_ID)
    {NULL, 5},
#elif defined(FAULT_LONG_ID)
    {"probe", 1ull << 40},
#elif defined(FAULT_FAR_ID)
    {"probe", 1ull << 23},
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
    TUFF_TEXT(PROBE_GLSL_NAME),
#ifdef FAULT_GLSL
    TUFF_TEXT("vec3 other_project();"),
#else
    TUFF_TEXT(GLSL),
#endif
    PROBE_VARIANT,
    TUFF_CLAIM_ISOTROPIC | TUFF_CLAIM_VOLUME_PRESERVING,
#if defined(FAULT_NULL_PARAMETERS)
    NULL,
#elif defined(FAULT_FAR_PARAMETERS)
    (const TuffParameter *)64,
#else
    parameters,
#endif
#ifdef FAULT_NULL_STATES
    NULL,
#else
    states,
#endif
    PROBE_PARAMETERS,
    PROBE_STATES,
    PROBE_CONSTANTS,
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
    stress,
};

#ifdef FAULT_HANG_LOAD
__attribute__((constructor)) static void at_load(void) {
    HANG()
}
#endif

#if defined(FAULT_ABORT_LOAD) || defined(FAULT_EXIT_LOAD)
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void at_load(void) {
#ifdef FAULT_ABORT_LOAD
    abort();
#else
    _exit(0);
#endif
}
#endif

#ifdef FAULT_ENTRY
TUFF_EXPORT const TuffMaterial *tuff_material_entry_v2(const TuffHost *host);
#define tuff_material_entry_v1 tuff_material_entry_v2
#endif

const TuffMaterial *tuff_material_entry_v1(const TuffHost *host) {
    (void)parameters;
    (void)states;
    (void)energy;
#ifdef FAULT_HANG_ENTRY
    HANG()
#endif
#ifdef FAULT_NULL_TABLE
    return host != NULL ? NULL : &material;
#else
    return host != NULL ? &material : NULL;
#endif
}
