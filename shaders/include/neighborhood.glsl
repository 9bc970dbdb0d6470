// Pair records, and memory weights from the results of the kernel correction.

const uint INDEX_MASK = 0x00ffffffu; // a pair record holds the neighbor's index in 24 bits

uint neighbor_end(uvec2 range) { return range.x + (range.y & 0xffffu); }
uint near_end(uvec2 range) { return range.x + (range.y >> 16); }

// Returns the memory weight w^_b, before normalization [dimensionless].
float raw_weight(uint packed_index) {
    float root = float(packed_index >> 24) * (1.0 / 255.0);
    return root * root;
}

// Returns the memory weight w'_b; `weight`: q, 1 / sum w^.
float weight_of(uint packed_index, vec3 g, vec4 weight) {
    return weight_scale_of(weight) * raw_weight(packed_index) * (1.0 - dot(g, weight.xyz));
}
