// Linear indices of launches that may be split over y, because x holds at most 65535 workgroups
// (`Groups::linear` on the host, `linear_groups` below for indirect dispatches).

// Index of this workgroup. The number of workgroups may exceed the requested one by less than the number of rows.
uint workgroup() {
    return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
}

// Index of this invocation. May exceed the requested count: test it before use. A macro, because gl_WorkGroupSize is 1 in functions
// that precede the declaration of the local size.
#define invocation() (workgroup() * gl_WorkGroupSize.x + gl_LocalInvocationID.x)

// Workgroup counts (x, y, z) that cover `count` invocations in workgroups of `local_size`; (0, 1, 1) for none.
uvec3 linear_groups(uint count, uint local_size) {
    uint groups = count / local_size + uint(count % local_size != 0u);
    uint rows = max(1u, (groups + 65534u) / 65535u);
    return uvec3((groups + rows - 1u) / rows, rows, 1u);
}
