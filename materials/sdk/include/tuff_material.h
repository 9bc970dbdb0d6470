/* C ABI of Tuff's material libraries, version 1.2. The same as materials/sdk/src/abi.rs.
 *
 * A library exports one symbol, tuff_material_entry_v1, which returns a table that stays valid until the process ends.
 * Every struct begins with its size and the ABI version for which it was written; fields are only ever added at the end.
 * Strings are UTF-8 with a length, not terminated. Functions are pure, may be called from several threads at once, return
 * a TUFF_STATUS, and never throw or longjmp into the caller. Quantities are SI; strains are principal Hencky strains, ln(stretch);
 * stresses are principal Kirchhoff stresses, tension positive.
 */
#ifndef TUFF_MATERIAL_H
#define TUFF_MATERIAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUFF_ABI_MAJOR 1u
#define TUFF_ABI_MINOR 4u
#define TUFF_ABI_VERSION (TUFF_ABI_MAJOR << 16 | TUFF_ABI_MINOR)

#if defined(_WIN32)
#define TUFF_EXPORT __declspec(dllexport)
#else
#define TUFF_EXPORT __attribute__((visibility("default")))
#endif

/* First two fields of a struct: {TUFF_HEADER(TuffMaterial), ...}. */
#define TUFF_HEADER(type) (uint32_t)sizeof(type), TUFF_ABI_VERSION
/* A TuffString of a literal. */
#define TUFF_TEXT(literal) {literal, sizeof(literal) - 1}

/* Status of a function. */
#define TUFF_STATUS_OK 0      /* success */
#define TUFF_STATUS_REFUSED 1 /* prepare only: the parameters are rejected, TuffError tells which and why */
#define TUFF_STATUS_MISUSE 2  /* a count or size does not match the descriptor, or a pointer is null */
#define TUFF_STATUS_PANIC 3   /* the library encountered a bug of its own */

/* TuffMaterial.variant */
#define TUFF_VARIANT_PRINCIPAL 0u /* functions of the principal Hencky strains */
#define TUFF_VARIANT_TENSOR 1u    /* functions of whole tensors, in TuffMaterial.tensor; since 1.1 */

/* TuffMaterial.claims */
#define TUFF_CLAIM_ISOTROPIC 1u
#define TUFF_CLAIM_VOLUME_PRESERVING 2u
#define TUFF_CLAIM_RATE_INDEPENDENT 4u
#define TUFF_CLAIM_DISSIPATIVE 8u
#define TUFF_CLAIM_FLUID 16u /* ln J = 1 - rho / rho_0 at the start of each step, no strain is kept; principal variant; since 1.4 */

/* TuffParameter.kind */
#define TUFF_KIND_NUMBER 0u
#define TUFF_KIND_BOOLEAN 1u /* passed as 0 or 1; min 0, max 1 */
#define TUFF_KIND_CHOICE 2u  /* passed as index into choices; min 0, max choice_count - 1 */

/* TuffParameter.flags */
#define TUFF_PARAMETER_REQUIRED 1u
#define TUFF_PARAMETER_HAS_DEFAULT 2u
#define TUFF_PARAMETER_MIN_EXCLUSIVE 4u
#define TUFF_PARAMETER_MAX_EXCLUSIVE 8u
#define TUFF_PARAMETER_HAS_TYPICAL 16u

/* TuffStateWord.flags */
#define TUFF_STATE_EXPORTED 1u      /* may be written to frames */
#define TUFF_STATE_FROM_CONSTANT 2u /* starts at the constant initial_constant, not at initial_value */

/* TuffError.parameter if no single parameter is at fault. */
#define TUFF_NO_PARAMETER UINT32_MAX

/* TuffProjection.case_id; a model may have further cases from 16 on. */
#define TUFF_CASE_ELASTIC 0u
#define TUFF_CASE_FLOW 1u            /* on the smooth part of the yield surface */
#define TUFF_CASE_TIP 2u             /* at a tip on the tension side */
#define TUFF_CASE_COMPRESSION_TIP 3u /* at a tip on the compression side */

/* UTF-8 text, not terminated; null only with length 0. */
typedef struct TuffString {
    const char *data;
    uint64_t length;
} TuffString;

/* The engine's description of itself. */
typedef struct TuffHost {
    uint32_t struct_size;
    uint32_t abi_version;
    TuffString name;
} TuffHost;

/* One parameter. The stride of an array is struct_size. */
typedef struct TuffParameter {
    uint32_t struct_size;
    uint32_t abi_version;
    TuffString name; /* key in scene files */
    TuffString unit; /* e.g. "Pa"; "-" for pure numbers */
    TuffString help;
    uint32_t kind;
    uint32_t flags;
    double default_value;
    double min;
    double max;
    const TuffString *choices;
    uint32_t choice_count;
    uint32_t alias_count;
    const TuffString *aliases; /* other names in files of reference values */
    double typical_value;      /* a typical value, with TUFF_PARAMETER_HAS_TYPICAL; since 1.2 */
} TuffParameter;

/* One scalar that a particle carries. The stride of an array is struct_size. */
typedef struct TuffStateWord {
    uint32_t struct_size;
    uint32_t abi_version;
    TuffString name;
    TuffString unit;
    TuffString help;
    uint32_t flags;
    uint32_t initial_constant;
    double initial_value;
    const TuffString *aliases;
    uint32_t alias_count;
    uint32_t reserved; /* 0 */
} TuffStateWord;

/* Reason why prepare rejected the parameters; the memory belongs to the engine. */
typedef struct TuffError {
    uint32_t struct_size;
    uint32_t abi_version;
    uint32_t parameter; /* index or TUFF_NO_PARAMETER */
    uint32_t message_length;
    uint8_t message[512]; /* UTF-8 */
} TuffError;

/* Input of a model's functions. */
typedef struct TuffPoint {
    uint32_t struct_size;
    uint32_t abi_version;
    const double *constants; /* as prepared */
    uint32_t constant_count;
    uint32_t reserved; /* 0 */
    double state[4];   /* at the start of the substep; unused words are 0 */
    double hencky[3];
    double dt; /* [s] */
} TuffPoint;

/* Input of stress, since 1.3: several particles of one material; numbers of the particles follow each other. */
typedef struct TuffBatch {
    uint32_t struct_size;
    uint32_t abi_version;
    const double *constants;
    uint32_t constant_count;
    uint32_t count;       /* of particles */
    const double *state;  /* at the start of the substep, four words of each particle */
    const double *hencky; /* first trial strains; the second and third begin stride and 2 stride numbers later */
    uint64_t stride;      /* at least count */
    double dt;            /* [s] */
} TuffBatch;

/* Result of the return mapping; struct_size and abi_version are the engine's. */
typedef struct TuffProjection {
    uint32_t struct_size;
    uint32_t abi_version;
    uint32_t case_id;
    uint32_t reserved; /* 0 */
    double hencky[3];
    double state[4];
    double forget; /* min(1, |dev projected| / |dev trial|), 1 at rest, 0 at a tip or for a fluid */
} TuffProjection;

/* Small-strain moduli; struct_size and abi_version are the engine's. */
typedef struct TuffModuli {
    uint32_t struct_size;
    uint32_t abi_version;
    double shear; /* mu [Pa] */
    double bulk;  /* kappa [Pa] */
} TuffModuli;

/* The tensor variant, since 1.1: functions of whole tensors, for anisotropic matter or a second elastic strain. The engine
   carries strain, branch and F along with the step before a model sees them. */

/* An elastic strain E = b - I in its principal axes. */
typedef struct TuffStretch {
    double hencky[3]; /* principal Hencky strains, 1/2 ln(1 + E_i) */
    double axes[9];   /* the three principal directions, one after the other */
} TuffStretch;

/* Input of its functions; struct_size and abi_version are the engine's. */
typedef struct TuffTensorPoint {
    uint32_t struct_size;
    uint32_t abi_version;
    const double *constants;
    uint32_t constant_count;
    uint32_t reserved;
    double state[4];
    TuffStretch strain;
    TuffStretch branch;    /* the second elastic strain; at rest without TUFF_NEEDS_BRANCH */
    double deformation[9]; /* F row by row; the identity without TUFF_NEEDS_DEFORMATION */
    double dt;             /* s */
} TuffTensorPoint;

typedef struct TuffTensorResponse {
    uint32_t struct_size;
    uint32_t abi_version;
    double energy;       /* >= 0, its derivative is the stress [Pa] */
    double kirchhoff[6]; /* xx yy zz yz xz xy [Pa] */
} TuffTensorResponse;

typedef struct TuffTensorUpdate {
    uint32_t struct_size;
    uint32_t abi_version;
    double state[4];
    TuffStretch strain;
    TuffStretch branch;
    double forget; /* as in TuffProjection */
    uint32_t case_id;
    uint32_t reserved;
} TuffTensorUpdate;

#define TUFF_NEEDS_BRANCH 1u
#define TUFF_NEEDS_DEFORMATION 2u

typedef struct TuffTensor {
    uint32_t struct_size;
    uint32_t abi_version;
    uint32_t needs;    /* TUFF_NEEDS_* bits */
    uint32_t reserved; /* 0 */
    /* Energy and stress of the step that leads to the point. */
    int32_t (*respond)(const TuffTensorPoint *point, TuffTensorResponse *response);
    /* End of that step: the state that the particle keeps. */
    int32_t (*advance)(const TuffTensorPoint *point, TuffTensorUpdate *update);
    /* Energy density stored at the point between substeps [Pa]. */
    int32_t (*energy)(const TuffTensorPoint *point, double *energy);
} TuffTensor;

/* A model. */
typedef struct TuffMaterial {
    uint32_t struct_size;
    uint32_t abi_version;
    TuffString id; /* [a-z][a-z0-9_]*; name in scenes and prefix of the GLSL functions */
    TuffString version;
    TuffString author;
    TuffString help;
    TuffString reference; /* paper and equation */
    TuffString glsl_name; /* file name for messages of the shader compiler */
    TuffString glsl;      /* <id>_project, _energy, _kirchhoff, _moduli; tensor variant: _respond, _advance, _energy, _moduli */
    uint32_t variant;
    uint32_t claims;
    const TuffParameter *parameters;
    const TuffStateWord *states;
    uint32_t parameter_count;
    uint32_t state_count;    /* at most 4 */
    uint32_t constant_count; /* at most 32 */
    uint32_t reserved;       /* 0 */
    /* Converts parameters in the order above, NaN if absent without default, to constants. */
    int32_t (*prepare)(const double *parameters, uint32_t parameter_count, double *constants, uint32_t constant_count,
                       TuffError *error);
    /* Return mapping of the trial strain from the state at the start of the substep. */
    int32_t (*project)(const TuffPoint *point, TuffProjection *projection);
    /* Energy density >= 0 [Pa]. */
    int32_t (*energy)(const TuffPoint *point, double *energy);
    /* Three principal Kirchhoff stresses [Pa]. */
    int32_t (*kirchhoff)(const TuffPoint *point, double *stress);
    int32_t (*moduli)(const TuffPoint *point, TuffModuli *moduli);
    /* Step [s] that resolves the fastest wave at a density [kg/m^3] and a particle distance [m]. */
    int32_t (*stable_step)(const double *constants, uint32_t constant_count, double density, double spacing,
                           double *step);
    /* Optional, may be null: nine d stress_i / d trial strain_j [Pa], row by row, after projection. */
    int32_t (*tangent)(const TuffPoint *point, double *tangent);
    const TuffTensor *tensor;      /* functions of the tensor variant (project, energy, kirchhoff are then null), or null */
    const void *reserved_slots[6]; /* null */
    /* Optional, may be null: kirchhoff of project for several particles, in three rows like the strains [Pa]. The processor calls
       it more than all other functions together; without it, it calls those two particle by particle. Since 1.3. */
    int32_t (*stress)(const TuffBatch *batch, double *stress);
} TuffMaterial;

/* Returns the library's one table, or null if it cannot work with this engine. */
TUFF_EXPORT const TuffMaterial *tuff_material_entry_v1(const TuffHost *host);

#if defined(__cplusplus) && __cplusplus >= 201103L
#define TUFF_ASSERT(condition) static_assert(condition, #condition)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define TUFF_ASSERT(condition) _Static_assert(condition, #condition)
#endif
#if defined(TUFF_ASSERT) && UINTPTR_MAX == UINT64_MAX
TUFF_ASSERT(sizeof(TuffString) == 16);
TUFF_ASSERT(sizeof(TuffHost) == 24);
TUFF_ASSERT(sizeof(TuffParameter) == 120 && offsetof(TuffParameter, typical_value) == 112);
TUFF_ASSERT(offsetof(TuffParameter, aliases) == 104);
TUFF_ASSERT(sizeof(TuffStateWord) == 88 && offsetof(TuffStateWord, initial_value) == 64);
TUFF_ASSERT(sizeof(TuffError) == 528);
TUFF_ASSERT(sizeof(TuffPoint) == 88 && offsetof(TuffPoint, state) == 24);
TUFF_ASSERT(sizeof(TuffBatch) == 56 && offsetof(TuffBatch, hencky) == 32);
TUFF_ASSERT(sizeof(TuffProjection) == 80 && offsetof(TuffProjection, forget) == 72);
TUFF_ASSERT(sizeof(TuffModuli) == 24);
TUFF_ASSERT(sizeof(TuffTensor) == 40 && sizeof(TuffTensorResponse) == 64);
TUFF_ASSERT(sizeof(TuffTensorPoint) == 328 && offsetof(TuffTensorPoint, deformation) == 248);
TUFF_ASSERT(sizeof(TuffTensorUpdate) == 248 && offsetof(TuffTensorUpdate, forget) == 232);
TUFF_ASSERT(sizeof(TuffMaterial) == 280 && offsetof(TuffMaterial, variant) == 120);
TUFF_ASSERT(offsetof(TuffMaterial, prepare) == 160 && offsetof(TuffMaterial, tensor) == 216);
TUFF_ASSERT(offsetof(TuffMaterial, stress) == 272);
#endif

#ifdef __cplusplus
}
#endif

#endif
