// Decides what follows a Newton pass, from the sums of its tiles. After an evaluation of the forces: whether it is accepted, whether
// it ends the solve, and whether relaxation or a Newton step follows. After a product: the coefficients of conjugate gradients and
// whether they end. One workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "newton.glsl"

layout(local_size_x = 64) in;

shared vec4 range_sum[64];
shared vec4 range_more[64];

void set(uint word, float value) { newton(word) = floatBitsToUint(value); }

// Sets the shares of the last moves whose removal would leave the least imbalance if moves added up.
void set_shares(vec4 a, vec4 b) {
    uint known = min(newton(NEWTON_KNOWN) + 1u, 2u);
    vec2 shares = vec2(a.y > 0.0 ? a.z / a.y : 0.0, 0.0);
    if (known == 2u && a.y > 0.0 && b.y > 0.0) {
        // Ratios, because products of these squares may underflow in f32.
        float last = b.x / a.y, older = b.x / b.y, along = b.z / b.y;
        float sine2 = 1.0 - last * older;
        if (sine2 > COLLINEAR_SINE_SQUARED) shares = vec2(shares.x - along * last, along - shares.x * older) / sine2;
    }
    newton(NEWTON_KNOWN) = known;
    set(NEWTON_LAST_SHARE, shares.x);
    set(NEWTON_OLDER_SHARE, shares.y);
}

void begin_round(float norm) {
    newton(NEWTON_MOVES) = 0u;
    set(NEWTON_ROUND_NORM, norm);
}

// Returns the act after an accepted evaluation from which the solve continues: another move, or conjugate gradients. Within the
// tolerance every move begins a round, so that a move that leads out of the tolerance is undone.
uint choose(uint mode, float norm, bool within) {
    if (mode == NEWTON_REOPEN) return NEWTON_RESUME;
    if (mode != NEWTON_RELAX) {
        begin_round(norm);
        newton(NEWTON_KNOWN) = 0u;
        return mode == NEWTON_EVALUATE ? NEWTON_ROUND : NEWTON_BEGIN;
    }
    newton(NEWTON_MOVES) += 1u;
    if (!within && newton(NEWTON_MOVES) < ROUND_MOVES) return NEWTON_MOVE;
    if (!within && norm > ROUND_REDUCTION * newton_number(NEWTON_ROUND_NORM)) return NEWTON_RESUME;
    begin_round(norm);
    return NEWTON_ROUND;
}

// Returns the largest imbalance of a rigid body relative to what acts on it (engine/rigid/src/bodies.rs).
float imbalance_of_bodies() {
    float most = 0.0;
#ifdef RIGID
    for (uint body = 0u; body < push.rigid_count; ++body) {
        uint at = body * RIGID_WORDS;
        vec4 contacts = rigid(at + 1u), moments = rigid(at + 2u), missing = rigid(at + 3u), turning = rigid(at + 4u);
        vec4 impulse = rigid_load(body * LOAD_WORDS), moment = rigid_load(body * LOAD_WORDS + 1u);
        float radius = moments.w, weight = missing.w;
        float acting = max(length(impulse.xyz + contacts.xyz), length(moment.xyz + moments.xyz) / radius);
        float lacks = max(length(impulse.xyz + missing.xyz), length(moment.xyz + turning.xyz) / radius);
        float share = lacks / max(max(weight, impulse.w), max(acting, 1e-37));
        // A share that is not a number must not pass for balance.
        most = max(most, share <= 1e30 ? share : 1e30);
    }
#endif
    return most;
}

// Judges an evaluation of the forces; `stake`, at a first evaluation: square of the momenta at stake, 1e37 if they bound nothing; `left`:
// passes after this one.
void judge_forces(vec4 sums, float stake, uint left) {
    float matter = sqrt(sums.x), bodies = imbalance_of_bodies();
    float start = uintBitsToFloat(status(STATUS_RESIDUAL_START));
    float here = newton_number(NEWTON_NORM);
    // Bodies are in balance when their relative imbalance is within the tolerance.
    float norm = length(vec2(matter, start * bodies));
    uint mode = newton(NEWTON_MODE);
    if (mode == NEWTON_FIRST && !(norm <= GUESS_ROUNDING * start)) {
        status(STATUS_RESIDUAL) = floatBitsToUint(1.0);
        set(NEWTON_NORM, matter);
        set(NEWTON_LOWEST, bodies);
        newton(NEWTON_ACT) = NEWTON_PREDICT;
        newton(NEWTON_MODE) = left == 0u ? NEWTON_ENDED : NEWTON_PREDICTED;
        return;
    }
    bool first = begins(mode);
    if (first) {
        // Contact may have moved the velocities far from balance, but stiff matter would keep a part of such forces as stress.
        float tolerance = push.residual_tolerance;
        float bearable = tolerance > 0.0 ? STRAIN_SHARE / tolerance * sqrt(sums.z) : matter;
        if (mode == NEWTON_PREDICTED) start = max(start, min(matter, bearable));
        if (mode != NEWTON_GUESSED) start = min(start, LARGEST_SCALE * sqrt(stake));
        if (tolerance > 0.0) start = max(start, VELOCITY_ROUNDING / tolerance * sqrt(sums.y));
        status(STATUS_RESIDUAL_START) = floatBitsToUint(start);
        norm = length(vec2(matter, start * bodies));
    }
    float guess = length(vec2(here, start * newton_number(NEWTON_LOWEST)));
    if (mode == NEWTON_PREDICTED && guess <= 1e30 && !(guess >= norm) && left >= GUESS_AGAIN) {
        newton(NEWTON_ACT) = NEWTON_RETURN;
        newton(NEWTON_MODE) = NEWTON_GUESSED;
        return;
    }
    float goal = push.residual_tolerance * start;
    if (first) {
        float momentum = sqrt(sums.w);
        set(NEWTON_AIM, momentum > NOISE_FROM * start && momentum < NOISE_TO * start ? NOISE_TOLERANCE * goal : goal);
        newton(NEWTON_MORE) = 0u;
    }
    float aim = newton_number(NEWTON_AIM);
    // A solve within the tolerance does not leave it: a step or move that led out of it is undone.
    float before = mode == NEWTON_RELAX ? newton_number(NEWTON_ROUND_NORM) : here;
    bool left_it = !first && before <= goal && !(norm <= goal);
    if (mode == NEWTON_RELAX && !left_it && !(norm <= GROWTH * here)) {
        atomicAdd(status(COUNT_NEWTON_UPHILL), 1u);
        newton(NEWTON_ACT) = NEWTON_RETURN;
        newton(NEWTON_MODE) = NEWTON_REOPEN;
        return;
    }
    // The last move that the passes allow is undone, too, if it led away from balance.
    bool away = mode == NEWTON_RELAX && left < 2u && norm > goal && norm > before;
    if (left_it || away) {
        status(STATUS_RESIDUAL) = floatBitsToUint(before / max(start, 1e-37));
        newton(NEWTON_ACT) = NEWTON_RETURN;
        newton(NEWTON_MODE) = NEWTON_ENDED;
        return;
    }
    if (first) {
        set(NEWTON_FACTOR, 1.0);
        set(NEWTON_FORCING, FORCING_FIRST);
        set(NEWTON_LOWEST, norm);
    } else if (mode == NEWTON_EVALUATE) {
        float factor = newton_number(NEWTON_FACTOR);
        bool nearer = norm <= (1.0 - DECREASE * factor) * here;
        if (!nearer && left > 0u && factor > SHORTEST) {
            set(NEWTON_FACTOR, 0.5 * factor);
            newton(NEWTON_ACT) = NEWTON_SHORTEN;
            return;
        }
        if (!nearer) atomicAdd(status(COUNT_NEWTON_UPHILL), 1u);
        if (!nearer && (left == 0u || !(norm <= KINK_ALLOWANCE * newton_number(NEWTON_LOWEST)))) {
            newton(NEWTON_ACT) = NEWTON_RETURN;
            newton(NEWTON_MODE) = NEWTON_ENDED;
            return;
        }
        set(NEWTON_FORCING, clamp(abs(norm - newton_number(NEWTON_LEFT)) / here, FORCING_MIN, FORCING_MAX));
    }
    set(NEWTON_NORM, norm);
    set(NEWTON_LOWEST, min(norm, newton_number(NEWTON_LOWEST)));
    status(STATUS_RESIDUAL) = floatBitsToUint(norm / max(start, 1e-37));
    bool balanced = !(norm > goal);
    if (balanced && norm > aim) balanced = ++newton(NEWTON_MORE) > NOISE_EVALUATIONS;
    bool ended = balanced || left < 2u;
    uint act = ended ? NEWTON_NOTHING : choose(mode, norm, norm <= goal);
    newton(NEWTON_ACT) = act;
    newton(NEWTON_MODE) = ended ? NEWTON_ENDED : act == NEWTON_RESUME ? NEWTON_MULTIPLY : NEWTON_RELAX;
    newton(NEWTON_PRODUCTS) = 0u;
    set(NEWTON_GOAL, max(newton_number(NEWTON_FORCING) * norm, 0.5 * aim));
}

void judge_product(vec4 a, vec4 b, uint left) {
    float gamma = a.x, delta = a.y;
    bool first = newton(NEWTON_PRODUCTS) == 0u;
    float beta = first ? 0.0 : gamma / newton_number(NEWTON_GAMMA);
    float alpha = gamma / (first ? delta : delta - beta * gamma / newton_number(NEWTON_ALPHA));
    bool usable = alpha > 0.0 && alpha < 1e30;
    if (!usable) alpha = 0.0;
    // |r - alpha (w + beta s)|^2
    float square = a.z - 2.0 * alpha * (a.w + beta * b.y) + alpha * alpha * (b.x + beta * (2.0 * b.z + beta * b.w));
    float rest = sqrt(max(square, 0.0));
    set(NEWTON_ALPHA, alpha);
    set(NEWTON_BETA, beta);
    set(NEWTON_GAMMA, gamma);
    set(NEWTON_LEFT, rest);
    newton(NEWTON_PRODUCTS) += 1u;
    // If the last step had to be shortened, this one starts at twice the length of the last one.
    bool ended = !usable || rest <= newton_number(NEWTON_GOAL) || left < 2u;
    if (ended) set(NEWTON_FACTOR, min(1.0, 2.0 * newton_number(NEWTON_FACTOR)));
    newton(NEWTON_ACT) = ended ? NEWTON_TRY : NEWTON_STEP;
    newton(NEWTON_MODE) = ended ? NEWTON_EVALUATE : NEWTON_MULTIPLY;
}

void main() {
    uvec4 groups = arguments(ARGUMENTS_ITERATE);
    if (groups.x == 0u) return;
    uint tiles = (push.particle_count + TILE - 1u) / TILE;
    uint lane = gl_LocalInvocationIndex;
    uint share = (tiles + 63u) / 64u;
    vec4 a = vec4(0.0), b = vec4(0.0);
    for (uint t = min(lane * share, tiles); t < min((lane + 1u) * share, tiles); ++t) {
        a += partial(2u * t);
        b += partial(2u * t + 1u);
    }
    range_sum[lane] = a;
    range_more[lane] = b;
    barrier();
    if (lane != 0u) return;
    for (uint k = 1u; k < 64u; ++k) {
        a += range_sum[k];
        b += range_more[k];
    }
    uint mode = newton(NEWTON_MODE);
    if (mode == NEWTON_RELAX) set_shares(a, b);
    if (mode == NEWTON_MULTIPLY) judge_product(a, b, push.phase - 1u);
    else judge_forces(a, b.z > 0.0 ? b.w : 1e37, push.phase - 1u);
}
