// Contact with colliders after a Newton solve. A stage that includes this file includes row.glsl and reads preconditioner_diagonal.

#include "constraints/colliders/ease.glsl"

// Lets the colliders act on the velocity v of p with the change `later` that takes effect after the substep. In stiff matter the larger part
// of an impulse is deferred: it acts on single particles and would strain the matter by more than it has energy for.
void collide_deferring(uint p, inout vec4 v, inout vec3 later) {
    vec3 before = v.xyz + later;
    vec3 after = collide(p, position(p).xyz, before);
    later += (1.0 - followed(p, inverse_mass_of(v))) * (after - before);
    v.xyz = after - later;
}
