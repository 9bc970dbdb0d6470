// Rigid modes of stiff bodies in a Newton solve (engine/solver/METHOD.md "Newton").

// Returns the velocity with which a particle of `body` at x follows what moves its body as a whole.
vec3 motion_of(uint body, vec3 x) {
    uint number = body_mode(body);
    if (number == NOTHING) return vec3(0.0);
    uint at = number * MODE_WORDS;
    return rigid_mode(at + MODE_MOTION).xyz + cross(rigid_mode(at + MODE_MOTION + 1u).xyz, x - rigid_mode(at + MODE_CENTER).xyz);
}
