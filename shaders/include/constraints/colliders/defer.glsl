// Contact with colliders after a Newton solve. A stage that includes this file includes row.glsl and reads identity and
// preconditioner_diagonal.

#include "linked.glsl"
#include "constraints/colliders/ease.glsl"

// Lets the colliders act on the velocity v of p. In metal they act on the velocity with the change `later` that takes effect after the
// substep, and the larger part of an impulse is deferred: it acts on single particles and would strain the matter by more than it has
// energy for.
void collide_deferring(uint p, inout vec4 v, inout vec3 later) {
    float now = eased(share_of_mass(p, inverse_mass_of(v)), DEFERRING_FROM, DEFERRING_TO);
    uvec4 self = identity(p);
    bool whole = now < 1.0 && !is_linked(id_of(self)); // the stiffness of links strains no matter
    vec3 before = whole ? v.xyz + later : v.xyz;
    vec3 after = collide(p, position(p).xyz, before);
    if (whole) {
        later += (1.0 - now) * (after - before);
        after -= later;
    }
    v.xyz = after;
}
