// Words of the status block and dispatch sizes; engine/solver/src/status.rs names the same.

const uint STATUS_FAILED = 0u;          // bits below; every later stage that changes state is skipped
const uint STATUS_PAIRS_NEEDED = 1u;    // pair records of the largest substep
const uint STATUS_PARTICLE = 2u;        // smallest id concerned by a failure
const uint STATUS_ITERATIONS = 3u;      // iterations done in the batch
const uint STATUS_COMPLETED = 4u;       // substeps committed in the batch
const uint STATUS_RESIDUAL_START = 5u;  // force residual at the predicted velocities [N s], float bits
const uint STATUS_RESIDUAL = 6u;        // force residual now, relative to its start, float bits
const uint STATUS_MULTIPLIER = 7u;      // |C + alpha~ lambda| [sqrt(Pa)], float bits
const uint STATUS_COUNTERS = 8u;        // the limiters

const uint COUNT_STRETCH_CLAMPED = STATUS_COUNTERS + 0u;
const uint COUNT_FOLD_LIMITED = STATUS_COUNTERS + 1u;
const uint COUNT_TIP_RELEASED = STATUS_COUNTERS + 2u;
const uint COUNT_RANK_DEFICIENT = STATUS_COUNTERS + 3u;
const uint COUNT_ISOLATED = STATUS_COUNTERS + 4u;
const uint COUNT_POSITION_CORRECTED = STATUS_COUNTERS + 5u;
const uint COUNT_CONTACT_OVERFLOW = STATUS_COUNTERS + 6u;
const uint COUNT_FAST_PARTICLES = STATUS_COUNTERS + 7u;

const uint FAILED_PAIRS = 1u;           // more pair records than fit
const uint FAILED_LIST = 2u;            // more than 65535 neighbors of one particle
const uint FAILED_FOLD = 4u;            // a neighborhood folded at the commit
const uint FAILED_NOT_FINITE = 8u;      // a position, velocity or strain is not finite

const uint TILE = 64u;                  // particles that one invocation sums in a reduction

// Dispatch sizes that stages read indirectly.
const uint ARGUMENTS_PARTICLES = 0u;    // one invocation per particle, workgroups of 64
const uint ARGUMENTS_TILES = 1u;        // one invocation per tile of particles, workgroups of 64
const uint ARGUMENTS_SEARCH = 2u;       // 8 lanes per occupied cell
const uint ARGUMENTS_SOLVE = 3u;        // as ARGUMENTS_PARTICLES; empty where the lists overflowed
const uint ARGUMENTS_ITERATE = 4u;      // as ARGUMENTS_SOLVE; empty once converged
const uint ARGUMENTS_COLORS = 5u;       // one per color; empty once converged
const uint ARGUMENTS_RESIDUAL = 32u;    // one per color; not emptied by convergence
const uint ARGUMENTS_COUNT = 59u;
