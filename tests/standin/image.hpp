// What an image for cuModuleLoadData says of its kernels and variables: a cubin of a real compiler, or a text.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "settings.hpp"

namespace warpwright::standin {

struct ImageKernel {
    unsigned registers = 32;
    unsigned shared_bytes = 0;
    unsigned local_bytes = 0;
    unsigned constant_bytes = 0;
    unsigned max_threads = 1024;
    std::vector<std::size_t> parameter_bytes;
    std::optional<Behaviour> behaviour;  // a text image brings its own; it wins over the settings
};

struct ModuleImage {
    int sm = 0;  // 90; 0: any GPU
    std::map<std::string, ImageKernel> kernels;
    std::map<std::string, std::vector<unsigned char>> variables;  // with their first contents
};

struct ImageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The image's own marks say where it ends. Throws ImageError.
[[nodiscard]] ModuleImage read_image(const void* image);

// A cubin: 64-bit ELF as ptxas and NVRTC write it.
[[nodiscard]] ModuleImage read_cubin(const unsigned char* image);

}  // namespace warpwright::standin
