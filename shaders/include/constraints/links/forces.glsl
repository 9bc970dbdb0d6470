// Forces of links in the force balance of a particle. While products are formed, the velocities hold the vector to multiply, and the
// matrix is the linearization at `newton_start`.

#define END_POSITION(p) position(p).xyz
#define END_LOW(p) position_low(p).xyz
#define END_MOVED(p) (push.dt * end_velocity(p))
#include "constraints/links/ends.glsl"
#include "constraints/links/incidences.glsl"

// Returns the forces of a particle's links times dt [N s], and in w the trace of their diagonal block [kg]; while products are formed,
// their part of the matrix times the vector that the velocities hold.
vec4 link_force(uint id) {
    vec4 sum = vec4(0.0);
    uvec2 range = incidences_of(id);
    for (uint i = range.x; i < range.y; ++i) {
        Incidence of = incidence(i);
        uint members = link_members(of.kind);
        Places places = places_of(of.index, members);
        mat4 numbers = numbers_of(of.index);
        Ends e = ends_of(places, members);
        if (multiplies) {
            Ends u = e;
            vec3 first = velocity(places.at[0]).xyz;
            for (uint m = 0u; m < members; ++m) {
                u.high[m] = velocity(places.at[m]).xyz - first;
                u.low[m] = vec3(0.0);
                u.moved[m] = vec3(0.0);
            }
            sum.xyz += push.dt * push.dt * link_product(of.kind, numbers, of.role, e, u);
        } else {
            Symmetric block = link_block(of.kind, numbers, of.role, e);
            float trace = block.diagonal.x + block.diagonal.y + block.diagonal.z;
            sum += vec4(push.dt * link_gradient(of.kind, numbers, of.role, e), push.dt * push.dt * trace);
        }
    }
    return sum;
}

// Returns the sum of the diagonal blocks of a particle's links [kg].
Symmetric link_block_sum(uint id) {
    Symmetric sum = symmetric_zero();
    uvec2 range = incidences_of(id);
    for (uint i = range.x; i < range.y; ++i) {
        Incidence of = incidence(i);
        uint members = link_members(of.kind);
        Ends e = ends_of(places_of(of.index, members), members);
        Symmetric block = link_block(of.kind, numbers_of(of.index), of.role, e);
        sum.diagonal += push.dt * push.dt * block.diagonal;
        sum.shear += push.dt * push.dt * block.shear;
    }
    return sum;
}

void add_links_forces(uint p, uvec2 range, inout vec4 sum) {
    uvec4 self = identity(p);
    sum += link_force(id_of(self));
}

void add_links_blocks(uint p, uvec2 range, inout Symmetric block) {
    uvec4 self = identity(p);
    Symmetric more = link_block_sum(id_of(self));
    block.diagonal += more.diagonal;
    block.shear += more.shear;
}
