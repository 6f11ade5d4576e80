// A driver from before CUDA 11.8: it says its version and has nothing else that the harness needs.
#include "exports.hpp"

STANDIN_EXPORT int cuInit(unsigned) { return 0; }

STANDIN_EXPORT int cuDriverGetVersion(int* version) {
    *version = 11040;
    return 0;
}
