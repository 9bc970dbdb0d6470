// One color of a sweep over the links between given particles: links of a color share no particle. One invocation per link.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "exact_sum.glsl"

layout(local_size_x = 64) in;

#ifdef FIRST_LINKED
#define END_POSITION(p) position(p).xyz
#define END_LOW(p) position_low(p).xyz
#define END_MOVED(p) (push.dt * velocity(p).xyz)
#include "constraints/links/ends.glsl"

void main() {
    uvec2 color = link_color(push.color);
    uvec2 next = link_color(push.color + 1u);
    uint index = color.x + invocation();
    if (index >= next.x) return;
    // There are no iterations after convergence or a failure.
    uvec4 groups = arguments(ARGUMENTS_ITERATE);
    if (groups.x == 0u) return;
    uint members = link_members(color.y);
    uvec4 at = places_of(index, members);
    Ends e = ends_of(at, members);
    vec4 w = vec4(0.0);
    for (uint i = 0u; i < members; ++i) {
        vec4 v = velocity(at[i]);
        w[i] = inverse_mass_of(v);
    }
    vec4 multiplier = link_multiplier(index);
    vec3 row = multiplier.xyz;
    vec3 impulse[LINK_MEMBERS];
    for (uint i = 0u; i < LINK_MEMBERS; ++i) impulse[i] = vec3(0.0);
    link_row(color.y, link_numbers(index), e, w, row, impulse);
    link_multiplier(index) = vec4(row, 0.0);
    for (uint i = 0u; i < members; ++i) velocity(at[i]) += vec4(w[i] * impulse[i], 0.0);
}
#else
void main() {}
#endif
