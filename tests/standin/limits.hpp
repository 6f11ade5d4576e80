// Limits of one multiprocessor and one block, those of compute capability 9.0.
// Source: CUDA C++ Programming Guide, Compute Capabilities.
#pragma once

#include <algorithm>
#include <cstddef>

#include "image.hpp"

namespace warpwright::standin {

inline constexpr unsigned registers_per_block = 65536;
inline constexpr unsigned shared_bytes_per_block = 49152;
inline constexpr unsigned shared_bytes_optin = 232448;
inline constexpr unsigned shared_bytes_per_multiprocessor = 233472;
inline constexpr unsigned shared_bytes_reserved = 1024;
inline constexpr unsigned threads_per_multiprocessor = 2048;
inline constexpr unsigned blocks_per_multiprocessor = 32;

// Blocks that fit on a multiprocessor at once.
[[nodiscard]] inline unsigned resident_blocks(const ImageKernel& kernel, unsigned threads, std::size_t dynamic_bytes) {
    const std::size_t shared = kernel.shared_bytes + dynamic_bytes + shared_bytes_reserved;
    const unsigned by_registers = registers_per_block / std::max(kernel.registers * threads, 1u);
    const auto by_shared = static_cast<unsigned>(shared_bytes_per_multiprocessor / shared);
    return std::min({blocks_per_multiprocessor, threads_per_multiprocessor / threads, by_registers, by_shared});
}

}  // namespace warpwright::standin
