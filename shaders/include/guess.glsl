// Start of the guess of a Newton solve.

// Returns whether gravity adds more than twice the velocity v in the substep.
bool is_slow(vec3 v, vec3 fall) { return dot(v, v) < 0.25 * dot(fall, fall); }

// Returns whether a particle is slow in a body that rests, according to the counts of predict_velocity.
bool rests(uint body, vec3 v, vec3 fall) { return int(awake(body)) <= 0 && is_slow(v, fall); }

// Returns the velocity that a guess starts from: the one at the start of the substep, or zero if the particle rests.
vec3 guess_base(uint body, vec3 start, vec3 fall) { return rests(body, start, fall) ? vec3(0.0) : start; }
