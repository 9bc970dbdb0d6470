// Where the guess of a Newton solve begins.

// Whether gravity adds more than twice as much in the substep to a velocity.
bool is_slow(vec3 v, vec3 fall) { return dot(v, v) < 0.25 * dot(fall, fall); }

// Whether a particle is slow in a body that rests, which predict_velocity counts.
bool rests(uint body, vec3 v, vec3 fall) { return int(awake(body)) <= 0 && is_slow(v, fall); }

// Velocity that a guess goes on from: that at the start of the substep, or none where a body rests.
vec3 guess_base(uint body, vec3 start, vec3 fall) { return rests(body, start, fall) ? vec3(0.0) : start; }
