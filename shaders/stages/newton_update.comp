// Carries out what was decided after a Newton pass: begins or goes on with conjugate gradients, or sets the velocities to look
// at next. While products are formed, the velocities hold the vector to multiply. One invocation per particle.
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

// The diagonal block of p, as it stays for the linear solve.
Symmetric block(uint p) {
    vec4 diagonal = newton_block_diagonal(p), shear = newton_block_shear(p);
    return Symmetric(diagonal.xyz, shear.xyz);
}

// Puts the inverse in the place of the block, mass included.
void invert_block(uint p, float mass) {
    Symmetric b = block(p);
    Symmetric inverted = to_symmetric(inverse(to_matrix(Symmetric(b.diagonal + mass, b.shear))));
    newton_block_diagonal(p) = vec4(inverted.diagonal, 0.0);
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

void main() {
    uint p = invocation();
    if (p >= push.particle_count) return;
    uint act = newton(NEWTON_ACT);
    vec4 v = velocity(p);
    vec4 w = force(p);
    force(p) = vec4(0.0);
    if (act == NEWTON_PREDICT) predict(p, v.w);
    if (act == NEWTON_SHORTEN) advance(p, v.w);
    if (act == NEWTON_RETURN) {
        velocity(p) = newton_start(p);
        for (uint i = p * CONTACT_SLOTS; i < (p + 1u) * CONTACT_SLOTS; ++i) contact(i) = newton_contact(i);
    }
    bool begins = act == NEWTON_BEGIN || act == NEWTON_RESUME;
    if (!begins && act != NEWTON_STEP && act != NEWTON_TRY) return;
    vec3 r = newton_residual(p).xyz;
    if (begins) {
        if (act == NEWTON_BEGIN && v.w > 0.0) invert_block(p, 1.0 / v.w);
        newton_start(p) = v;
        newton_change(p) = vec4(0.0);
        newton_direction(p) = vec4(0.0);
        newton_product(p) = vec4(0.0);
        for (uint i = p * CONTACT_SLOTS; i < (p + 1u) * CONTACT_SLOTS; ++i) newton_contact(i) = contact(i);
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
