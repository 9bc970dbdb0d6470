// What walls take of the kernel of a fluid (engine/problem/src/fluid.rs).

// Returns the distance [m] of a plane within the support as 1 at the center and 0 at its end.
float nearness(float distance) { return max(1.0 - 0.5 * abs(distance) / push.kernel_radius, 0.0); }

// Returns the fraction of a kernel's integral beyond a plane at the signed distance [m] from its center.
float beyond_wall(float distance) {
    float u = nearness(distance), u3 = u * u * u;
    float part = u3 * u3 * (3.5 - 4.5 * u + 1.5 * u * u);
    return distance < 0.0 ? 1.0 - part : part;
}

// Returns its derivative by the way towards the plane [1/m].
float wall_slope(float distance) {
    float u = nearness(distance), u2 = u * u;
    return 10.5 / push.kernel_radius * u2 * u2 * u * (1.0 - 1.5 * u + 4.0 / 7.0 * u2);
}

// Returns the distance of a wall from a particle of a rest volume at x [m], both at the start of the substep. Matter that starts within a
// collider leaves it by displacement, not by pressure.
float wall_depth(uint at, vec3 x, float volume) {
    vec4 word = collider(at + 4u);
    return max(collider_distance(at, carried(at, x, FAR)).w - word.w, contact_radius(volume));
}
