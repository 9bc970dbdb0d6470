// Computes energies, highest speeds and bounds of the committed state per tile, in a fixed order. One invocation per tile of
// particles. Three words per tile: kinetic, elastic, potential energy [J] and highest speed [m/s]; lower corner [m] and highest speed
// of the particles that bound the substep (reach.glsl) [m/s]; upper corner [m] and mean pressure of its fluids over their density
// [m^2/s^2].
#version 460
#extension GL_GOOGLE_include_directive : require
#include "attributes.glsl"
#include "generated/lanes.glsl"
#include "launch.glsl"
#include "generated/constants.glsl"
#include "symmetric.glsl"
#include "materials.glsl"
#include "strain.glsl"
#include "neighborhood.glsl"
#include "reach.glsl"
#include "bodies.glsl"

#ifdef FIRST_LINKED
#include "exact_sum.glsl"
#define END_POSITION(p) committed_position(p).xyz
#define END_LOW(p) committed_position_low(p).xyz
#define END_MOVED(p) vec3(0.0)
#include "constraints/links/ends.glsl"
#include "constraints/links/incidences.glsl"

// Returns the energy of the links whose first member a particle is [J].
float link_share(uint id) {
    float sum = 0.0;
    uvec2 range = incidences_of(id);
    for (uint i = range.x; i < range.y; ++i) {
        Incidence of = incidence(i);
        if (of.role != 0u) continue;
        uint members = link_members(of.kind);
        Ends e = ends_of(places_of(of.index, members), members);
        sum += link_energy(of.kind, numbers_of(of.index), e);
    }
    return sum;
}
#endif

#ifdef FLUIDS
// Returns the pressure of a fluid over its density [m^2/s^2]; the energy of a compression grows with its square.
float pressure_by_density(uint material, vec4 state, vec3 hencky) {
    float compression = -trace(hencky);
    if (compression <= 0.0) return 0.0;
    return 2.0 * material_energy(material, state, vec3(-compression / 3.0)) / (compression * material_density(material));
}
#endif

layout(local_size_x = 64) in;

vec3 hencky_of(vec3 w) {
    return 0.5 * log1p_(clamp(w, vec3(STRETCH2_MIN - 1.0), vec3(STRETCH2_MAX - 1.0)));
}

#ifdef TENSOR_MODELS
TensorPoint committed_point(uint p, Stretch strain) {
    TensorPoint point = resting_point();
    point.strain = strain;
    uint at = p * HISTORY_WORDS;
    if (HISTORY_BRANCH) {
        vec3 w;
        eigen(Symmetric(committed_history(at).xyz, committed_history(at + 1u).xyz), w, point.branch.axes);
        point.branch.hencky = hencky_of(w);
        at += 2u;
    }
    if (HISTORY_DEFORMATION) {
        for (uint k = 0u; k < 3u; ++k) point.deformation[k] = committed_history(at + k).xyz;
    }
    return point;
}
#endif

void main() {
    uint first = invocation() * TILE;
    if (first >= push.particle_count) return;
    vec3 gravity = vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    vec3 energy = vec3(0.0);
    float speed = 0.0, max_interacting_speed = 0.0;
    vec2 pressure = vec2(0.0); // sum, number
    vec3 lower = vec3(3e38), upper = vec3(-3e38);
    for (uint p = first; p < min(first + TILE, push.particle_count); ++p) {
        vec3 x = committed_position(p).xyz;
        vec4 v = committed_velocity(p);
        uvec4 self = committed_identity(p);
        uint material = material_of(self);
        vec3 w;
        mat3 axes;
        eigen(Symmetric(committed_strain_diagonal(p).xyz, committed_strain_shear(p).xyz), w, axes);
        vec3 hencky = hencky_of(w);
        float psi;
#ifdef TENSOR_MODELS
        if (material_is_tensor(material)) {
            psi = material_stored(material, committed_state(p), committed_point(p, Stretch(hencky, axes)));
        } else
#endif
        {
            psi = material_energy(material, committed_state(p), hencky);
        }
        vec4 remembered = committed_memory(p);
        float rest_volume = rest_volume_of(remembered);
        float mass = rest_volume * material_density(material);
#ifdef FIRST_LINKED
        // The vertices of cloth differ in mass.
        if (is_linked(id_of(self)) && inverse_mass_of(v) > 0.0) mass = 1.0 / inverse_mass_of(v);
#endif
        energy += vec3(0.5 * mass * dot(v.xyz, v.xyz),
                       rest_volume * psi,
                       -mass * dot(gravity, x));
#ifdef FIRST_LINKED
        energy.y += link_share(id_of(self));
#endif
        speed = max(speed, length(v.xyz));
        if (in_reach(p, id_of(self))) max_interacting_speed = max(max_interacting_speed, length(v.xyz));
#ifdef FLUIDS
        if (is_fluid(body_of(self))) pressure += vec2(pressure_by_density(material, committed_state(p), hencky), 1.0);
#endif
        lower = min(lower, x);
        upper = max(upper, x);
    }
    uint at = first / TILE * 3u;
    partial(at) = vec4(energy, speed);
    partial(at + 1u) = vec4(lower, max_interacting_speed);
    partial(at + 2u) = vec4(upper, pressure.x / max(pressure.y, 1.0));
}
