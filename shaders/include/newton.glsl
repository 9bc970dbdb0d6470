// Words of the Newton solve, and blocked directions (engine/solver/METHOD.md "Newton").

float newton_number(uint word) { return uintBitsToFloat(newton(word)); }

// Returns true for the forces at velocities from which a solve may begin.
bool begins(uint mode) { return mode == NEWTON_FIRST || mode == NEWTON_PREDICTED || mode == NEWTON_GUESSED; }

// Returns the part of v that is not blocked. w counts the blocked directions of a particle; with one, xyz is its unit vector, with two,
// that of the direction that remains free.
vec3 unblocked(vec4 blocked, vec3 v) {
    if (blocked_count_of(blocked) == 0.0) return v;
    if (blocked_count_of(blocked) == 1.0) return v - dot(v, blocked.xyz) * blocked.xyz;
    return blocked_count_of(blocked) == 2.0 ? dot(v, blocked.xyz) * blocked.xyz : vec3(0.0);
}
