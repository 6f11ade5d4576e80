#include <cstdio>

#include "service/build.hpp"

int main() {
    std::printf("warpwright-harness %s %s\n", warpwright::version, warpwright::build_hash);
    return 0;
}
