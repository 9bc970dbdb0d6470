// Words of the Newton solve, and what its stages do in the pass at hand (engine/solver/METHOD.md "Newton").

float newton_number(uint word) { return uintBitsToFloat(newton(word)); }

// Blocked directions of a particle: w counts them; with one, xyz is its unit vector, with two, that of the direction left.
vec3 unblocked(vec4 blocked, vec3 v) {
    if (blocked_count_of(blocked) == 0.0) return v;
    if (blocked_count_of(blocked) == 1.0) return v - dot(v, blocked.xyz) * blocked.xyz;
    return blocked_count_of(blocked) == 2.0 ? dot(v, blocked.xyz) * blocked.xyz : vec3(0.0);
}
