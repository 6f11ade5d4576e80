#include "launch/shared_filler.hpp"

#include <cstdint>

#include "driver/device_info.hpp"
#include "driver/error.hpp"
#include "launch/own_kernel.hpp"

namespace warpwright::launch {

namespace {

// A block takes an SM's whole shared memory, so no SM runs two at once; twice as many as SMs leave none without.
constexpr unsigned blocks_per_sm = 2;

}  // namespace

SharedFiller::SharedFiller(const driver::DeviceContext& context, const driver::LoadedModule& own)
    : api_(&context.api()),
      function_(own.function("ww_fill_shared")),
      sink_(context.api(), sizeof(std::uint32_t)),
      shared_bytes_(static_cast<unsigned>(context.attribute(driver::shared_per_block_optin))),
      blocks_(blocks_per_sm * static_cast<unsigned>(context.attribute(driver::sm_count))) {
    WARPWRIGHT_CALL(*api_, function_set_attribute, function_, driver::function_max_dynamic_shared_bytes,
                    static_cast<int>(shared_bytes_));
}

void SharedFiller::enqueue(driver::Stream stream, unsigned char value) const {
    const std::uint32_t pattern = 0x01010101U * value;
    const std::uint32_t words = shared_bytes_ / sizeof(std::uint32_t);
    const driver::DevicePointer sink = sink_.address();
    launch_own(*api_, function_, Shape{blocks_, own_block_threads, shared_bytes_}, stream, pattern, words, sink);
}

}  // namespace warpwright::launch
