#include "launch/own_kernel.hpp"

#include <algorithm>

namespace warpwright::launch {

unsigned stride_blocks(std::uint64_t count) {
    constexpr std::uint64_t most = 8192;
    const std::uint64_t blocks = count / own_block_threads + (count % own_block_threads != 0 ? 1 : 0);
    return static_cast<unsigned>((std::clamp)(blocks, std::uint64_t{1}, most));
}

}  // namespace warpwright::launch
