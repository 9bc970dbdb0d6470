// Where the guess of a Newton solve begins.

// Whether gravity adds more than twice as much in the substep to a velocity.
bool is_slow(vec3 v, vec3 fall) { return dot(v, v) < 0.25 * dot(fall, fall); }

// Velocity that a guess goes on from: that at the start of the substep, or none where a body rests, which predict_velocity counts.
// So its noise, which the tolerance leaves, is no motion to go on with, and a pair that is too near begins where its load took it
// in the last substep.
vec3 guess_base(uint body, vec3 start, vec3 fall) {
    bool rests = int(awake(body)) <= 0 && is_slow(start, fall);
    return rests ? vec3(0.0) : start;
}
