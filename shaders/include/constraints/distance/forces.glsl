// Too-close pairs in the force balance.

#include "constraints/distance/spring.glsl"

// Returns the forces of too-close pairs on p times dt [N s], and in w the trace of their diagonal block [kg]; while products are
// formed, their part of the matrix times the vector that the velocities hold.
vec4 distance_forces(uint p, uvec2 range) {
    vec4 sum = vec4(0.0);
    vec3 xp = position(p).xyz;
    vec3 vp = velocity(p).xyz, at = end_velocity(p);
    for (uint i = range.x; i < near_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        vec3 vb = velocity(b).xyz;
        NearPush near = pushed(p, b, position(b).xyz - xp, end_velocity(b) - at);
        if (near.lacking <= 0.0) continue;
        float stiffness = push.dt * push.dt * near.stiffness;
        float change = multiplies ? dot(near.normal, vp - vb) : near.lacking / push.dt;
        sum += stiffness * vec4(change * near.normal, multiplies ? 0.0 : 1.0);
    }
    return sum;
}

void add_distance_forces(uint p, uvec2 range, inout vec4 sum) {
    if (near_count(range) > 0u) sum += distance_forces(p, range);
}

void add_distance_blocks(uint p, uvec2 range, inout Symmetric block) {
    for (uint i = range.x; i < near_end(range); i += stride_of(range)) {
        uvec4 record = pair(i);
        uint b = record.x & INDEX_MASK;
        NearPush near = pushed(p, b, position(b).xyz - position(p).xyz, velocity(b).xyz - velocity(p).xyz);
        if (near.lacking > 0.0) add_outer(block, near.normal, push.dt * push.dt * near.stiffness);
    }
}
