// Carries out the decision after a Newton pass: a move of relaxation, the start or a step of conjugate gradients, or the velocities
// to evaluate next. While products are formed, the velocities hold the vector to multiply. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "external.glsl"
#include "symmetric.glsl"
#define NEAR // contacts keep triangles of meshes
#include "constraints/colliders/distance.glsl"
#include "constraints/colliders/contact_radius.glsl"
#include "constraints/colliders/touched.glsl"
#include "constraints/colliders/adhesion.glsl"
#include "constraints/colliders/row.glsl"
#include "constraints/colliders/ease.glsl"
#include "invert_block.glsl"
#include "newton.glsl"
#ifdef MODES
#include "modes.glsl"
#endif

layout(local_size_x = 64) in;

// Returns the inverse of the diagonal block of p, mass included.
Symmetric preconditioner(uint p) {
    vec4 diagonal = preconditioner_diagonal(p), shear = preconditioner_shear(p);
    return Symmetric(diagonal.xyz, shear.xyz);
}

// Saves the contacts of p (`keep`), clears them (`forget`), or does neither and restores the saved ones.
void set_contacts(uint p, bool keep, bool forget) {
    uint slot = p * CONTACT_SLOTS;
    for (uint touched = touched_by(p); touched != 0u; ++slot, touched >>= 8) {
        vec4 now = contact(slot);
        if (keep) newton_contact(slot) = now;
        if (forget || !keep) contact(slot) = forget ? vec4(vec3(0.0), gap_of(now)) : newton_contact(slot);
    }
}

// Returns the move `own` of p, shortened along the direction s in which it slips: the load on its contact changes as it slips, and
// friction follows. Motion along s meets the resistance s . D s + mu n . D s, D being the block of p and n the normal, if that is more
// than s . D s and no contact may pull.
vec3 loaded(uint p, vec3 own, vec4 blocked) {
    if (blocked_count_of(blocked) != 1.0) return own;
    vec3 normal = blocked.xyz, sum = vec3(0.0);
    uint slot = 0u;
    for (uint touched = touched_by(p); touched != 0u; touched >>= 8) {
        if (pull_of(p, slot, face_at(touched)) != 0.0) return own;
        sum += contact(p * CONTACT_SLOTS + slot++).xyz;
    }
    float load = dot(sum, normal);
    vec3 held = sum - load * normal;
    float size = length(held);
    if (load <= 0.0 || size <= LOADED_FRICTION * load) return own;
    vec3 slip = -held / size;
    vec3 response = inverse(to_matrix(preconditioner(p))) * slip;
    float gain = size / load * dot(normal, response) / dot(slip, response);
    return gain > 0.0 ? own - gain / (1.0 + gain) * dot(own, slip) * slip : own;
}

// Returns the velocity with which p follows what moves its body as a whole, if that is stiff to others [m/s].
vec3 whole_motion(uint p) {
#ifdef MODES
    uvec4 self = identity(p);
    return motion_of(body_of(self), position(p).xyz);
#else
    return vec3(0.0);
#endif
}

// Returns a move of relaxation [m/s]: the imbalance over the block, whose current trace is `trace` [kg], after subtraction of the
// shares of the last two moves.
vec3 move_of(uint p, vec3 imbalance, float trace) {
    uint known = newton(NEWTON_KNOWN);
    vec3 left = imbalance;
    vec3 change = vec3(0.0);
    if (known > 0u) {
        vec4 moved = last_move(p), did = last_effect(p);
        float part = newton_number(NEWTON_LAST_SHARE);
        change -= part * moved.xyz;
        left -= part * did.xyz;
        if (known > 1u) {
            float older = newton_number(NEWTON_OLDER_SHARE);
            change -= older * older_move(p).xyz;
            left -= older * newton_older(p).xyz;
        }
        older_move(p) = moved;
        newton_older(p) = did;
    }
    vec4 diagonal = preconditioner_diagonal(p), blocked = newton_blocked(p);
    change -= loaded(p, DAMPING * block_trace_of(diagonal) / trace * apply(preconditioner(p), left), blocked);
    return unblocked(blocked, change + whole_motion(p));
}

// Advances conjugate gradients and sets the vector to multiply next; `w` is the last product. With TRY the linear solve has ended.
void multiply_next(uint p, uint act, vec4 v, vec3 w) {
    vec4 residual = newton_residual(p);
    vec3 r = residual.xyz;
    if (act == NEWTON_RESUME) {
        newton_change(p) = vec4(0.0);
        newton_direction(p) = vec4(0.0);
        newton_product(p) = vec4(0.0);
    } else {
        float alpha = newton_number(NEWTON_ALPHA), beta = newton_number(NEWTON_BETA);
        vec3 d = v.xyz + beta * newton_direction(p).xyz;
        vec3 s = w + beta * newton_product(p).xyz;
        newton_direction(p) = vec4(d, 0.0);
        newton_product(p) = vec4(s, 0.0);
        newton_change(p) += vec4(alpha * d, 0.0);
        r -= alpha * s;
        newton_residual(p) = vec4(r, guess_imbalance_of(residual));
    }
    vec3 u = inverse_mass_of(v) > 0.0 ? unblocked(newton_blocked(p), apply(preconditioner(p), r) + whole_motion(p)) : vec3(0.0);
    if (act != NEWTON_TRY) operand(p) = vec4(u, inverse_mass_of(v));
}

// A software driver takes both sides of every branch, so code that acts have in common, above all contact, appears here only once.
void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uint act = newton(NEWTON_ACT);
    vec4 v = velocity(p);
    vec4 w = balance(p);
    bool multiplies = act == NEWTON_RESUME || act == NEWTON_STEP || act == NEWTON_TRY;
    // The guess is kept, too: the solve returns to it if the predicted velocities are farther from balance.
    bool keeps = act == NEWTON_BEGIN || act == NEWTON_ROUND || act == NEWTON_RESUME || act == NEWTON_PREDICT;
    bool moves = act == NEWTON_BEGIN || act == NEWTON_ROUND || act == NEWTON_MOVE;
    bool advances = act == NEWTON_SHORTEN || act == NEWTON_TRY;
    bool predicts = act == NEWTON_PREDICT;

    if (act == NEWTON_BEGIN && inverse_mass_of(v) > 0.0) invert_block(p, 1.0 / inverse_mass_of(v));
    if (keeps) newton_start(p) = v;
    if (multiplies) multiply_next(p, act, v, w.xyz);
    if (keeps || advances || predicts || act == NEWTON_RETURN) set_contacts(p, keeps, predicts);

    // Velocities at which the forces are evaluated next, before contact: those after a move, the predicted ones, or a point on the step.
    vec3 target = v.xyz;
    vec3 imbalance = -newton_residual(p).xyz;
    if (moves && inverse_mass_of(v) > 0.0) target += move_of(p, imbalance, block_trace_of(w) + 3.0 / inverse_mass_of(v));
    if (predicts && inverse_mass_of(v) > 0.0) target = predicted(p, push.dt * vec3(push.gravity_x, push.gravity_y, push.gravity_z));
    if (advances || act == NEWTON_RETURN) target = newton_start(p).xyz;
    if (advances) target += newton_number(NEWTON_FACTOR) * newton_change(p).xyz;
    bool looks = moves || predicts || advances;
    bool collides = looks;
#ifdef RIGID
    // These begin from other poses of the rigid bodies, which the host sets first.
    collides = moves || act == NEWTON_TRY;
#endif
    if (collides && inverse_mass_of(v) > 0.0) target = collide(p, position(p).xyz, target, !predicts, predicts ? 1.0 : ease(p, inverse_mass_of(v)));
    if (looks || act == NEWTON_RETURN) velocity(p) = vec4(target, inverse_mass_of(v));
    if (!moves || inverse_mass_of(v) == 0.0) return;
    last_move(p) = vec4(target - v.xyz, 0.0);
    last_effect(p) = vec4(imbalance, 0.0);
}
