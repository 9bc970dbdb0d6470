// Pair records, and memory weights from the results of the kernel correction.

const uint INDEX_MASK = 0x00ffffffu; // a pair record holds the neighbor's index in 24 bits

// A list is [first, last) in steps of its stride: up to 8 lists of one cell are interleaved, so that invocations which walk them side by
// side load adjacent records. Neighbors that may touch come first.
uint stride_of(uvec2 range) { return (range.y >> 28) + 1u; }
uint near_count(uvec2 range) { return range.y >> 14 & MOST_NEIGHBORS; }
uint neighbor_count(uvec2 range) { return range.y & MOST_NEIGHBORS; }
uint near_end(uvec2 range) { return range.x + near_count(range) * stride_of(range); }
uint neighbor_end(uvec2 range) { return range.x + neighbor_count(range) * stride_of(range); }

uvec2 list_of(uint first, uint stride, uint count, uint near) { return uvec2(first, count | near << 14 | stride - 1u << 28); }

// Returns the memory weight w^_b, before normalization [dimensionless].
float raw_weight(uint packed_index) {
    float root = float(packed_index >> 24) * (1.0 / 255.0);
    return root * root;
}

// Returns the memory weight w'_b; `weight`: q, 1 / sum w^.
float weight_of(uint packed_index, vec3 g, vec4 weight) {
    return weight_scale_of(weight) * raw_weight(packed_index) * (1.0 - dot(g, weight.xyz));
}
