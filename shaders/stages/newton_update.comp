// Carries out what was decided after a Newton pass: a move of relaxation, the beginning or a step of conjugate gradients, or the
// velocities to look at next. While products are formed, the velocities hold the vector to multiply. One invocation per particle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "colliders.glsl"
#include "contact.glsl"
#include "collide.glsl"
#include "newton.glsl"

layout(local_size_x = 64) in;

const float DAMPING = 0.5; // part of a particle's own answer to its imbalance that a move takes: its neighbors move as well

// The diagonal block of p, as it stays for the solve.
Symmetric block(uint p) {
    vec4 diagonal = newton_block_diagonal(p), shear = newton_block_shear(p);
    return Symmetric(diagonal.xyz, shear.xyz);
}

// Puts the inverse in the place of the block, mass included, and its trace beside it.
void invert_block(uint p, float mass) {
    Symmetric b = block(p);
    Symmetric inverted = to_symmetric(inverse(to_matrix(Symmetric(b.diagonal + mass, b.shear))));
    newton_block_diagonal(p) = vec4(inverted.diagonal, b.diagonal.x + b.diagonal.y + b.diagonal.z + 3.0 * mass);
    newton_block_shear(p) = vec4(inverted.shear, 0.0);
}

// Goes to velocities, after contact, to evaluate the forces there.
void look(uint p, vec3 v, float inverse_mass) {
    vec4 remembered = memory(p);
    if (inverse_mass > 0.0) v = collide(p, position(p).xyz, v, contact_radius(remembered.w));
    velocity(p) = vec4(v, inverse_mass);
}

// Begins again at the predicted velocities, without contacts.
void predict(uint p, float inverse_mass) {
    newton_block_diagonal(p) = vec4(0.0);
    newton_block_shear(p) = vec4(0.0);
    if (inverse_mass == 0.0) return;
    for (uint i = p * CONTACT_SLOTS; i < (p + 1u) * CONTACT_SLOTS; ++i) contact(i) = vec4(0.0);
    look(p, velocity_start(p).xyz + push.dt * vec3(push.gravity_x, push.gravity_y, push.gravity_z), inverse_mass);
}

// Velocities at the length of the step that is wanted, their contacts anew from those at its start.
void advance(uint p, float inverse_mass) {
    for (uint i = p * CONTACT_SLOTS; i < (p + 1u) * CONTACT_SLOTS; ++i) contact(i) = newton_contact(i);
    look(p, newton_start(p).xyz + newton_number(NEWTON_FACTOR) * newton_change(p).xyz, inverse_mass);
}

// Goes back to the last velocities that were kept, and their contacts.
void go_back(uint p) {
    velocity(p) = newton_start(p);
    for (uint i = p * CONTACT_SLOTS; i < (p + 1u) * CONTACT_SLOTS; ++i) contact(i) = newton_contact(i);
}

void keep(uint p, vec4 v) {
    newton_start(p) = v;
    for (uint i = p * CONTACT_SLOTS; i < (p + 1u) * CONTACT_SLOTS; ++i) newton_contact(i) = contact(i);
}

// A move of relaxation: the imbalance over the block, whose trace is `trace` [kg] by now, less the shares of the last two moves.
void move_once(uint p, vec4 v, float trace) {
    uint known = newton(NEWTON_KNOWN);
    vec3 imbalance = -newton_residual(p).xyz;
    vec3 left = imbalance;
    vec3 change = vec3(0.0);
    if (known > 0u) {
        vec4 moved = newton_direction(p), did = newton_product(p);
        float part = newton_number(NEWTON_LAST_SHARE);
        change -= part * moved.xyz;
        left -= part * did.xyz;
        if (known > 1u) {
            float older = newton_number(NEWTON_OLDER_SHARE);
            change -= older * newton_change(p).xyz;
            left -= older * newton_older(p).xyz;
        }
        newton_change(p) = moved;
        newton_older(p) = did;
    }
    vec4 diagonal = newton_block_diagonal(p);
    change -= DAMPING * diagonal.w / trace * apply(block(p), left);
    look(p, v.xyz + unblocked(newton_blocked(p), change), v.w);
    newton_direction(p) = vec4(velocity(p).xyz - v.xyz, 0.0);
    newton_product(p) = vec4(imbalance, 0.0);
}

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uint act = newton(NEWTON_ACT);
    vec4 v = velocity(p);
    vec4 w = force(p);
    force(p) = vec4(0.0);
    if (act == NEWTON_PREDICT) predict(p, v.w);
    if (act == NEWTON_SHORTEN) advance(p, v.w);
    if (act == NEWTON_RETURN) go_back(p);
    if (act == NEWTON_BEGIN && v.w > 0.0) invert_block(p, 1.0 / v.w);
    if (act == NEWTON_BEGIN || act == NEWTON_ROUND || act == NEWTON_RESUME) keep(p, v);
    if ((act == NEWTON_BEGIN || act == NEWTON_ROUND || act == NEWTON_MOVE) && v.w > 0.0) move_once(p, v, w.w + 3.0 / v.w);
    if (act != NEWTON_RESUME && act != NEWTON_STEP && act != NEWTON_TRY) return;
    vec3 r = newton_residual(p).xyz;
    if (act == NEWTON_RESUME) {
        newton_change(p) = vec4(0.0);
        newton_direction(p) = vec4(0.0);
        newton_product(p) = vec4(0.0);
    } else {
        float alpha = newton_number(NEWTON_ALPHA), beta = newton_number(NEWTON_BETA);
        vec3 d = v.xyz + beta * newton_direction(p).xyz;
        vec3 s = w.xyz + beta * newton_product(p).xyz;
        newton_direction(p) = vec4(d, 0.0);
        newton_product(p) = vec4(s, 0.0);
        newton_change(p) += vec4(alpha * d, 0.0);
        r -= alpha * s;
        newton_residual(p) = vec4(r, 0.0);
    }
    if (act == NEWTON_TRY) {
        advance(p, v.w);
        return;
    }
    vec3 u = v.w > 0.0 ? unblocked(newton_blocked(p), apply(block(p), r)) : vec3(0.0);
    velocity(p) = vec4(u, v.w);
}
