// Signed distances of colliders. A face is COLLIDER_WORDS vec4 per substep, written by engine/solver/src/colliders.rs:
//   0  kind (as float), friction, -1 for containers and for walls the number of the collider plus one, first profile point
//   1  half sizes, or radius and half length, or first edge and number of edges of a wall; profile point count in w. Or the root of a
//      mesh's tree and the largest way of its vertices by deformation
//   2  center at t + dt, side of a sheet       3  orientation quaternion at t + dt
//   4  center velocity, thickness  5..7  rows of the matrix that maps x - center to velocity, and in w: adhesion, number of
//                                      cuts, first word of the cuts
// What is cut away from a face follows the faces, with CUT_WORDS each: the words 0 to 3.

vec3 seen_drift = vec3(0.0); // how far deformation moved the surface point that collider_distance last found, in the substep [m]

const float FAR = 1e18; // distance of what is not seen, and limit that sees everything [m]

#include "constraints/colliders/velocity.glsl"
#ifdef MESHES
#include "constraints/colliders/mesh.glsl"
#endif

vec3 rotate_by(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// Returns the outward unit normal (xy) and signed distance (z) of the point (radius, height) from `wall_count` edges of the profile
// of a shape of revolution, in the half plane of the profile. A point nearer to another edge counts as inside.
vec3 section_distance(float radius, float height, uint first, uint count, uint wall_first, uint wall_count) {
    vec2 x = vec2(radius, height);
    float best = 3e38;
    float of_all = 3e38;
    vec2 nearest = vec2(0.0);
    bool within = false;
    for (uint i = 0u; i < count; ++i) {
        vec2 a = profile_point(first + i).xy;
        vec2 b = profile_point(first + (i + 1u) % count).xy;
        vec2 e = b - a;
        vec2 to = x - a;
        vec2 gap = to - e * clamp(dot(to, e) / max(dot(e, e), 1e-30), 0.0, 1.0);
        // Edges on the axis are not part of the surface.
        bool on_axis = a.x == 0.0 && b.x == 0.0;
        float distance2 = on_axis ? 3e38 : dot(gap, gap);
        of_all = min(of_all, distance2);
        if (distance2 < best && (i + count - wall_first) % count < wall_count) {
            best = distance2;
            nearest = gap;
        }
        if ((a.y > height) != (b.y > height) && radius < a.x + e.x * (height - a.y) / e.y) within = !within;
    }
    float d = sqrt(best);
    // Beyond a corner two edges are equally near, whatever the rounding.
    float rounding = CORNER * (length(x) + sqrt(of_all));
    float side = within || d > sqrt(of_all) + rounding ? -1.0 : 1.0;
    return vec3(side * nearest / max(d, 1e-30), side * d);
}

// Returns normal (xyz) and signed distance (w) of a box or, in two dimensions, of the section of a cylinder.
vec4 box_distance(vec3 x, vec3 half_size) {
    vec3 q = abs(x) - half_size;
    float inner = max(q.x, max(q.y, q.z));
    if (inner <= 0.0) {
        vec3 axis = q.x == inner ? vec3(1, 0, 0) : q.y == inner ? vec3(0, 1, 0) : vec3(0, 0, 1);
        return vec4(axis * (1.0 - 2.0 * vec3(lessThan(x, vec3(0.0)))), inner);
    }
    vec3 out_part = max(q, 0.0);
    float d = length(out_part);
    return vec4(out_part / d * (1.0 - 2.0 * vec3(lessThan(x, vec3(0.0)))), d);
}

vec4 local_distance(uint kind, vec3 x, vec4 size, uint first_point, float limit) {
#ifdef MESHES
    seen_at_cut = false;
    seen_drift = vec3(0.0);
    if (kind == SHAPE_MESH) return mesh_distance(uint(size.x), x, limit);
#endif
    if (kind == SHAPE_PLANE) return vec4(0.0, 1.0, 0.0, x.y);
    if (kind == SHAPE_BOX) return box_distance(x, size.xyz);
    if (kind == SHAPE_SPHERE || kind == SHAPE_CAPSULE) {
        vec3 to = x - vec3(0.0, kind == SHAPE_CAPSULE ? clamp(x.y, -size.y, size.y) : 0.0, 0.0);
        float d = length(to);
        return vec4(d > 0.0 ? to / d : vec3(0, 1, 0), d - size.x);
    }
    float radius = length(x.xz);
    vec3 radial = radius > 0.0 ? vec3(x.x, 0.0, x.z) / radius : vec3(1.0, 0.0, 0.0);
    vec3 section; // normal in the section, distance
    if (kind == SHAPE_CYLINDER) {
        vec4 b = box_distance(vec3(radius, x.y, 0.0), vec3(size.x, size.y, 3e37));
        section = vec3(b.xy, b.w);
    } else {
        section = section_distance(radius, x.y, first_point, uint(size.w), uint(size.x), uint(size.y));
    }
    return vec4(radial * section.x + vec3(0.0, section.y, 0.0), section.z);
}

// Returns the outward unit normal and signed distance [m] of the shape whose words begin at `at`, seen from x.
vec4 shape_distance(uint at, vec3 x, float limit) {
    vec4 head = collider(at);
    vec4 q = collider(at + 3u);
    vec3 local = rotate_by(vec4(-q.xyz, q.w), x - collider(at + 2u).xyz);
    vec4 n = local_distance(uint(head.x), local, collider(at + 1u), uint(head.w), limit);
#ifdef DEFORMS
    seen_drift = rotate_by(q, seen_drift);
#endif
    return vec4(rotate_by(q, n.xyz), n.w);
}

// Returns the normal and signed distance of the intersection of two solids (engine/scene/src/shape/combine.rs).
vec4 intersection(vec4 a, vec4 b) {
    float cosine = dot(a.xyz, b.xyz);
    vec3 turn = cross(a.xyz, b.xyz);
    float sine2 = dot(turn, turn);
    float alpha = a.w - cosine * b.w, beta = b.w - cosine * a.w;
    if (sine2 > PARALLEL && alpha > 0.0 && beta > 0.0) {
        vec3 away = (alpha * a.xyz + beta * b.xyz) / sine2;
        float d = length(away);
        return vec4(away / d, d);
    }
    return b.w > a.w ? b : a;
}

// Returns the outward unit normal [dimensionless] and signed distance [m] of collider `at` (first word) at x. Meshes farther away than
// `limit`, on either side, are not seen.
vec4 collider_distance(uint at, vec3 x, float limit) {
    vec4 head = collider(at);
    vec4 result = shape_distance(at, x, limit);
    if (head.z < 0.0) result = -result;
#ifdef CUTS
    vec4 count = collider(at + 6u), first = collider(at + 7u);
    uint cut = push.first_collider + uint(first.w);
    for (uint end = cut + uint(count.w) * CUT_WORDS; cut < end; cut += CUT_WORDS) {
        result = intersection(result, -shape_distance(cut, x, limit));
    }
#endif
    return result;
}

vec4 collider_distance(uint at, vec3 x) { return collider_distance(at, x, FAR); }

// Returns the largest way of a vertex of collider `at` by deformation in the substep [m].
float largest_drift(uint at) {
#ifdef DEFORMS
    vec4 head = collider(at), size = collider(at + 1u);
    return uint(head.x) == SHAPE_MESH ? size.y : 0.0;
#else
    return 0.0;
#endif
}

// Returns the point to which collider `at` carries x in the substep. If it deforms, it carries what is farther than `limit` from it only
// by its rigid motion.
vec3 carried(uint at, vec3 x, float limit) {
    vec3 there = carried_rigidly(at, x);
#ifdef DEFORMS
    float drift = largest_drift(at);
    if (drift == 0.0) return there;
    collider_distance(at, there, limit + drift);
    collider_distance(at, there + seen_drift, limit + drift);
    there += seen_drift;
#endif
    return there;
}

// Returns the point at which colliders are evaluated for a move from x by dt v: its end, but at most half a kernel radius from x.
// Beyond that point colliders continue as planes, so that no guess jumps through a thin one.
vec3 looked_at_from(vec3 x, vec3 v) {
    vec3 move = push.dt * v;
    return x + min(1.0, 0.5 * push.kernel_radius / max(length(move), 1e-30)) * move;
}
