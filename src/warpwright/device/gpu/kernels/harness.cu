// The harness's own kernels, one translation unit: module `warpwright` (docs/harness.md).
#include "measurement.cuh"
#include "seal.cuh"
#include "verification.cuh"
