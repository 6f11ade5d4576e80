// Launching the harness's own kernels: parameters are given as C++ values of exactly the kernel's types.
#pragma once

#include <cstdint>

#include "driver/api.hpp"
#include "driver/error.hpp"

namespace warpwright::launch {

inline constexpr unsigned own_block_threads = 256;

// One dimension is all that they use.
struct Shape {
    unsigned blocks = 1;
    unsigned threads = own_block_threads;
    unsigned shared_bytes = 0;
};

// Blocks of a kernel with a grid-stride loop over count items: enough to fill every GPU, and 1 at least.
[[nodiscard]] unsigned stride_blocks(std::uint64_t count);

// Queues the kernel. Throws DriverError.
template <class... Values>
void launch_own(const driver::Api& api, driver::Function function, const Shape& shape, driver::Stream stream,
                Values... values) {
    void* parameters[sizeof...(values) + 1] = {static_cast<void*>(&values)..., nullptr};
    driver::LaunchConfiguration configuration{};
    configuration.grid_x = shape.blocks;
    configuration.grid_y = 1;
    configuration.grid_z = 1;
    configuration.block_x = shape.threads;
    configuration.block_y = 1;
    configuration.block_z = 1;
    configuration.shared_bytes = shape.shared_bytes;
    configuration.stream = stream;
    WARPWRIGHT_CALL(api, launch, &configuration, function, parameters, nullptr);
}

}  // namespace warpwright::launch
