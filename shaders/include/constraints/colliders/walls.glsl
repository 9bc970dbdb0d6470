// Walls between particles: thin colliders through which they are no neighbors. `walled` holds a byte for each of the nearest walls of a
// particle, the number of its collider plus one.

// Returns true if what lies at offset d from a particle is beyond a wall that it sees, as a plane.
bool is_beyond(vec4 seen, vec3 d) {
    precise float along = seen.x * d.x + seen.y * d.y + seen.z * d.z;
    return -along > max(seen.w, 0.0);
}

// Returns true if a wall is between p and b, at offset d from p: it faces away from each of them, and both its sides are between them.
bool is_divided(uint p, uint b, vec3 d) {
    uint own = walled(p), others = walled(b);
    for (uint i = p * MAX_WALLS; own != 0u && others != 0u; ++i, own >>= 8) {
        vec4 seen = wall(i);
        if (!is_beyond(seen, d)) continue;
        for (uint j = b * MAX_WALLS, left = others; left != 0u; ++j, left >>= 8) {
            if ((left & 0xffu) != (own & 0xffu)) continue;
            vec4 other = wall(j);
            precise float cosine = seen.x * other.x + seen.y * other.y + seen.z * other.z;
            if (cosine < OPPOSED && is_beyond(other, -d)) return true;
        }
    }
    return false;
}
