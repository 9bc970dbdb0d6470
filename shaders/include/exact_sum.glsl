// Positions in two f32 parts.

bool finite(vec4 x) { return !any(isnan(x)) && !any(isinf(x)); }

// Returns a + b rounded, and the rounding error in `lost`. `precise` stays inside a function, because glslang 12 crashes if it has to
// follow the qualifier into a buffer reference.
vec3 exact_sum(vec3 a, vec3 b, out vec3 lost) {
    precise vec3 sum = a + b;
    precise vec3 part = sum - a;
    precise vec3 rest = (a - (sum - part)) + (b - part);
    lost = rest;
    return sum;
}
