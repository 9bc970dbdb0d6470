// Motion of colliders over the substep (their words: distance.glsl).

// Returns the velocity [m/s] of the collider's material point at x over the substep.
vec3 collider_velocity(uint at, vec3 x) {
    vec3 to = x - collider(at + 2u).xyz;
    return collider(at + 4u).xyz + vec3(dot(collider(at + 5u).xyz, to), dot(collider(at + 6u).xyz, to),
                                        dot(collider(at + 7u).xyz, to));
}

// Returns the point to which the rigid motion of collider `at` carries x in the substep.
vec3 carried_rigidly(uint at, vec3 x) {
    vec3 there = x + push.dt * collider_velocity(at, x);
    return x + push.dt * collider_velocity(at, there);
}

// Returns where a direction at the end of the substep pointed at its start.
vec3 turned_back(uint at, vec3 n) {
    return n - push.dt * vec3(dot(collider(at + 5u).xyz, n), dot(collider(at + 6u).xyz, n), dot(collider(at + 7u).xyz, n));
}
