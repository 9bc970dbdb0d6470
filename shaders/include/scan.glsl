// Shared by the stages of a prefix sum. The recorder defines SCAN_COUNT, SCAN_INPUT(i) and
// SCAN_OUTPUT(i) for the values that are scanned.

const uint SCAN_LANES = 64u;
