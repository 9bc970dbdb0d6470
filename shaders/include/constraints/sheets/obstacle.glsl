// Triangles of cloth on colliders and rigid bodies (twin: engine/reference/src/sheets/obstacle.rs). A stage that includes this file reads
// colliders and the members of contacts.

#include "constraints/colliders/distance.glsl"

// Returns true if triangles can touch a face where none of their vertices is nearest to it.
bool is_sharp(uint at) {
    vec4 head = collider(at);
    return head.z >= 0.0 && uint(head.x) != SHAPE_PLANE;
}

// Returns true if the side of a sheet, as a face, is not the one that was seen last at this distance.
bool is_behind(uint at, float distance) {
#ifdef MESHES
    vec4 center = collider(at + 2u);
    uint side = uint(center.w);
    return seen_at_cut || (side == SHEET_FRONT && distance < 0.0) || (side == SHEET_BACK && distance <= 0.0);
#else
    return false;
#endif
}

// A place of a face that a triangle may touch.
struct Spot {
    vec3 at;      // where it is at the start of the substep
    vec3 drift;   // its velocity by deformation [m/s]
    vec3 weights; // of the corners of the triangle
    vec3 normal;  // of the face
};

// Finds the place of a face that is nearest to a triangle at the start of the substep, by projections from the one to the other in turn.
// False if that is at a vertex of the triangle, which touches the face by itself, or if the triangle reaches into the collider there.
// Places are offsets from `origin`.
bool nearest_spot(uint at, vec3 origin, Members start, uint corner, float gap, float limit, out Spot spot) {
    vec3 a = start.at[1], b = start.at[2], c = start.at[3];
    vec3 y = start.at[1u + corner];
    vec2 part = vec2(0.0);
    for (uint round = 0u; round < OBSTACLE_ROUNDS; ++round) {
        vec3 there = carried(at, origin + y, limit);
        vec4 seen = collider_distance(at, there, limit);
        if (seen.w <= 0.0 || seen.w >= FAR || is_behind(at, seen.w)) return false;
        spot.normal = seen.xyz;
        spot.drift = (there - carried_rigidly(at, origin + y)) / push.dt;
        spot.at = y - seen.w * turned_back(at, seen.xyz);
        part = nearest_of_triangle(a, b, c, spot.at);
        vec3 nearest = a + part.x * (b - a) + part.y * (c - a);
        float moved = length(nearest - y);
        y = nearest;
        if (moved < SPOT_TOLERANCE * gap) break;
    }
    spot.weights = vec3(1.0 - part.x - part.y, part);
    return all(lessThan(spot.weights, vec3(SPOT_AT_VERTEX)));
}

// Returns the velocity of such a place over the substep [m/s].
vec3 velocity_of_spot(uint at, vec3 origin, Spot spot) {
    return collider_velocity(at, carried_rigidly(at, origin + spot.at)) + spot.drift;
}
