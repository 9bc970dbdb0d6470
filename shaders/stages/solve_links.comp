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
    uvec4 first = link(2u * index);
    if (groups.x == 0u || first.x == NOTHING) return;
    uint members = link_members(color.y);
    Places places = places_of(index, members);
    Ends e = ends_of(places, members);
    float w[LINK_MEMBERS];
    vec3 impulse[LINK_MEMBERS];
    for (uint i = 0u; i < LINK_MEMBERS; ++i) {
        w[i] = 0.0;
        impulse[i] = vec3(0.0);
        if (i >= members) continue;
        vec4 v = velocity(places.at[i]);
        w[i] = inverse_mass_of(v);
    }
    uint row = LINK_MULTIPLIERS * index;
    mat3 multipliers = mat3(link_multiplier(row).xyz, link_multiplier(row + 1u).xyz, link_multiplier(row + 2u).xyz);
    link_row(color.y, numbers_of(index), e, w, multipliers, impulse);
    for (uint i = 0u; i < LINK_MULTIPLIERS; ++i) link_multiplier(row + i) = vec4(multipliers[i], 0.0);
    for (uint i = 0u; i < members; ++i) velocity(places.at[i]) += vec4(w[i] * impulse[i], 0.0);
}
#else
void main() {}
#endif
