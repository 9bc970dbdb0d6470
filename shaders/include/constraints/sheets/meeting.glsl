// How a point and a triangle, or two edges, approach each other along straight lines (twin: engine/problem/src/meeting.rs). Places are
// offsets from the first member; a common motion changes nothing.

struct Members {
    vec3 at[4];
};

struct Approach {
    vec4 weights;   // the relative motion is the sum of those of the members times these
    vec3 normal;    // unit normal
    float distance; // [m]; negative once the parts have passed through each other
};

// Returns the part of the edge from a to b that is nearest to x.
float part_of_edge(vec3 a, vec3 b, vec3 x) {
    vec3 edge = b - a;
    return clamp(dot(x - a, edge) / max(dot(edge, edge), 1e-37), 0.0, 1.0);
}

// Returns the barycentric coordinates s, t of the place of a triangle that is nearest to x.
vec2 nearest_of_triangle(vec3 a, vec3 b, vec3 c, vec3 x) {
    vec3 ab = b - a, ac = c - a, ap = x - a, bp = x - b, cp = x - c;
    float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d1 <= 0.0 && d2 <= 0.0) return vec2(0.0);
    if (d3 >= 0.0 && d4 <= d3) return vec2(1.0, 0.0);
    float vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return vec2(d1 / (d1 - d3), 0.0);
    if (d6 >= 0.0 && d5 <= d6) return vec2(0.0, 1.0);
    float vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return vec2(0.0, d2 / (d2 - d6));
    float va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        float along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return vec2(1.0 - along, along);
    }
    return vec2(vb, vc) / (va + vb + vc);
}

// Finds where two lines are nearest, as parts of the edges; false if they are about parallel.
bool nearest_of_lines(Members x, out vec2 at) {
    vec3 a = x.at[1] - x.at[0], b = x.at[3] - x.at[2], d = x.at[0] - x.at[2];
    float aa = dot(a, a), ab = dot(a, b), bb = dot(b, b);
    float determinant = aa * bb - ab * ab;
    at = vec2(0.0);
    if (determinant <= PARALLEL_EDGES * PARALLEL_EDGES * aa * bb) return false;
    float da = dot(d, a), db = dot(d, b);
    at = vec2(ab * db - bb * da, aa * db - ab * da) / determinant;
    return true;
}

vec4 meeting_weights(bool edges, vec2 at) {
    return edges ? vec4(1.0 - at.x, at.x, at.y - 1.0, -at.y) : vec4(1.0, at.x + at.y - 1.0, -at);
}

// Finds the weights of the nearest places; false for edges with one at an end.
bool nearest_places(bool edges, Members x, out vec4 weights) {
    vec2 at;
    bool found = true;
    if (edges) {
        found = nearest_of_lines(x, at) && all(greaterThanEqual(at, vec2(0.0))) && all(lessThanEqual(at, vec2(1.0)));
    } else {
        at = nearest_of_triangle(x.at[1], x.at[2], x.at[3], x.at[0]);
    }
    weights = meeting_weights(edges, at);
    return found;
}

// Returns the common normal of the parts; zero for edges that are about parallel.
vec3 meeting_normal(bool edges, Members x) {
    vec3 a = edges ? x.at[1] - x.at[0] : x.at[2] - x.at[1];
    vec3 b = edges ? x.at[3] - x.at[2] : x.at[3] - x.at[1];
    vec3 n = cross(a, b);
    float size = dot(n, n);
    if (edges && size < PARALLEL_EDGES * PARALLEL_EDGES * dot(a, a) * dot(b, b)) return vec3(0.0);
    return size > 0.0 ? n * inversesqrt(size) : vec3(0.0);
}

// Returns true if the parts, at the same height, overlap.
bool faces(bool edges, Members x) {
    vec3 at;
    if (edges) {
        vec2 parts;
        if (!nearest_of_lines(x, parts)) return false;
        at = vec3(parts, 0.0);
    } else {
        vec3 u = x.at[2] - x.at[1], v = x.at[3] - x.at[1], d = x.at[0] - x.at[1];
        vec3 n = cross(u, v);
        float scale = 1.0 / max(dot(n, n), 1e-37);
        float s = dot(cross(d, v), n) * scale, t = dot(cross(u, d), n) * scale;
        at = vec3(1.0 - s - t, s, t);
    }
    return all(greaterThanEqual(at, vec3(-MEETING_BORDER))) && all(lessThanEqual(at, vec3(1.0 + MEETING_BORDER)));
}

vec3 weighted(vec4 weights, Members x) {
    return weights.x * x.at[0] + weights.y * x.at[1] + weights.z * x.at[2] + weights.w * x.at[3];
}

// Finds how the parts approach each other between two places of their members; false for edges that are nearest to each other at an
// end, which is for points and triangles to see.
bool approaches(bool edges, Members start, Members end, out Approach found) {
    vec3 first = meeting_normal(edges, start), last = meeting_normal(edges, end);
    uint other = edges ? 2u : 1u;
    float before = dot(first, start.at[0] - start.at[other]), now = dot(last, end.at[0] - end.at[other]);
    float side = before < 0.0 ? -1.0 : 1.0;
    before *= side;
    now *= side;
    bool near = nearest_places(edges, end, found.weights);
    if (now < 0.0 && first != vec3(0.0) && last != vec3(0.0)) {
        Members met;
        for (uint i = 0u; i < 4u; ++i) met.at[i] = mix(start.at[i], end.at[i], before / (before - now));
        if (faces(edges, met)) {
            if (!near) found.weights = meeting_weights(edges, vec2(0.5));
            found.normal = side * last;
            found.distance = now;
            return true;
        }
    }
    vec3 apart = weighted(found.weights, end);
    found.distance = length(apart);
    found.normal = found.distance > 0.0 ? apart / found.distance : side * last;
    return near;
}

// Returns the distance of the parts [m].
float distance_of_parts(bool edges, Members x) {
    vec4 weights;
    if (nearest_places(edges, x, weights)) return length(weighted(weights, x));
    float least = 3e38;
    for (uint i = 0u; i < 4u; ++i) {
        uint to = i < 2u ? 2u : 0u;
        vec3 p = x.at[i], a = x.at[to], b = x.at[to + 1u];
        least = min(least, length(mix(a, b, part_of_edge(a, b, p)) - p));
    }
    return least;
}
