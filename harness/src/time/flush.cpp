#include "time/flush.hpp"

#include <algorithm>
#include <cstdint>

#include "driver/device_info.hpp"
#include "driver/error.hpp"
#include "launch/own_kernel.hpp"

namespace warpwright::timing {
namespace {

constexpr std::size_t least_flush_bytes = 64 * 1024 * 1024;
constexpr std::size_t word_bytes = 16;
constexpr std::uint32_t flush_value = 0x5A5A5A5A;

std::uint64_t words(std::size_t bytes) { return (bytes + word_bytes - 1) / word_bytes; }

}  // namespace

std::size_t flush_bytes(std::size_t l2_bytes) { return (std::max)(2 * l2_bytes, least_flush_bytes); }

Lines lines_of(driver::DevicePointer address, std::size_t bytes) {
    if (bytes == 0) {
        return {};
    }
    const driver::DevicePointer first = address - address % line_bytes;
    return {first, (address + bytes - first + line_bytes - 1) / line_bytes};
}

std::size_t Flush::needed_bytes(std::size_t l2_bytes) {
    return flush_bytes(l2_bytes) + words(l2_bytes) * word_bytes + sizeof(std::uint32_t);
}

Flush::Flush(const Machine& machine)
    : machine_(machine),
      l2_bytes_(static_cast<std::size_t>((std::max)(machine.context.attribute(driver::l2_cache_bytes), 0))),
      write_(machine.module(own_module).function("ww_flush_write")),
      read_(machine.module(own_module).function("ww_read")),
      demote_(machine.module(own_module).function("ww_demote")),
      written_(machine.api, flush_bytes(l2_bytes_)),
      read_region_(machine.api, words(l2_bytes_) * word_bytes),
      sink_(machine.api, sizeof(std::uint32_t)) {}

void Flush::enqueue() const {
    overwrite(written_);
    warm(read_region_.address(), l2_bytes_);
}

void Flush::demote(driver::DevicePointer address, std::size_t bytes) const {
    const Lines lines = lines_of(address, bytes);
    launch::launch_own(machine_.api, demote_, launch::Shape{launch::stride_blocks(lines.count)},
                       machine_.context.stream(), lines.first, lines.count);
}

void Flush::scrub() const {
    overwrite(written_);
    overwrite(read_region_);
    WARPWRIGHT_CALL(machine_.api, fill_bytes, sink_.address(), 0, sink_.bytes(), machine_.context.stream());
}

void Flush::overwrite(const memory::DeviceBuffer& region) const {
    const std::uint64_t count = region.bytes() / word_bytes;
    launch::launch_own(machine_.api, write_, launch::Shape{launch::stride_blocks(count)}, machine_.context.stream(),
                       region.address(), count, flush_value);
}

void Flush::warm(driver::DevicePointer address, std::size_t bytes) const {
    const std::uint64_t count = words(bytes);
    launch::launch_own(machine_.api, read_, launch::Shape{launch::stride_blocks(count)}, machine_.context.stream(),
                       address, count, sink_.address());
}

}  // namespace warpwright::timing
