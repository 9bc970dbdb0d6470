// Particles that carry no stress and lie on others.

#include "generated/constants.glsl"

// Returns whether friction keeps p where it is: p lost its stress (E = 0, though its volume has changed), is slower than half of what
// gravity adds in a substep, and lies on particles below it that are as slow on average; or, if p touches colliders from above, p
// sticks to each of them by Coulomb's law.
bool is_held(uint p, vec4 v, uvec2 range) {
    vec3 gravity = vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    float slow = 0.5 * push.dt * length(gravity);
    vec4 diagonal = strain_diagonal(p);
    if (inverse_mass_of(v) == 0.0 || !(length(v.xyz) < slow)) return false;
    if (volume_ratio_of(diagonal) == 1.0 || diagonal.xyz != vec3(0.0) || strain_shear(p).xyz != vec3(0.0)) return false;
    vec3 x = position(p).xyz;
    bool stands = false;
    bool slides = false;
    for (uint touched = touched_by(p); touched != 0u; touched >>= 8) {
        uint at = face_at(touched);
        vec3 n = collider_distance(at, x).xyz;
        float pressed = -dot(gravity, n);
        // Loaded whole: Mesa 22.3 misreads a component that is loaded by address.
        vec4 head = collider(at);
        if (pressed < LEAST_BEARING * length(gravity)) continue;
        if (length(gravity + pressed * n) < head.y * pressed) stands = true;
        else slides = true;
    }
    if (stands || slides) return !slides;
    vec3 sum = vec3(0.0);
    float count = 0.0;
    for (uint i = range.x; i < near_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        if (dot(position(b).xyz - x, gravity) <= 0.0) continue;
        sum += velocity(b).xyz;
        count += 1.0;
    }
    return count > 0.0 && length(sum) < count * slow;
}
