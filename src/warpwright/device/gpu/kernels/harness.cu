// The harness's own kernels, one translation unit: module `warpwright` (docs/harness.md).
#include "measurement.cuh"
#include "verification.cuh"
