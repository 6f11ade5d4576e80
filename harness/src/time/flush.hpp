// The state of L2 before a launch: cold by flushing, or warm by reading.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/device_buffer.hpp"
#include "service/machine.hpp"

namespace warpwright::timing {

// Bytes that one flush writes: max(2 x L2, 64 MiB). One L2 is not enough where addresses are hashed to slices.
[[nodiscard]] std::size_t flush_bytes(std::size_t l2_bytes);

// Queue entries of one flush: write, read.
inline constexpr std::size_t flush_entries = 2;

// Lines of L2, whole ones.
struct Lines {
    driver::DevicePointer first = 0;  // a multiple of line_bytes
    std::uint64_t count = 0;
};

inline constexpr std::size_t line_bytes = 128;

// All lines that hold one of those bytes.
[[nodiscard]] Lines lines_of(driver::DevicePointer address, std::size_t bytes);

class Flush {
public:
    // machine must outlive this. Throws MemoryShortage, RequestError (own kernels missing), DriverError.
    explicit Flush(const Machine& machine);

    // Queues one flush: writes a region of flush_bytes, then reads another one as large as L2, so that few dirty lines
    // are left whose write-back a kernel would pay for.
    void enqueue() const;

    // Queues that the lines of an array are evicted like any other: lines that a candidate wants kept (`evict_last`)
    // outlive a flush. The lines must be mapped as a whole, and guards around the array see to that.
    void demote(driver::DevicePointer address, std::size_t bytes) const;

    // Queues the overwriting of all that this owns: a kernel may have left something there.
    void scrub() const;

    // Queues the reading of that many bytes, so that they are in L2 as far as they fit. address: a multiple of 16, with
    // 15 readable bytes behind the last one.
    void warm(driver::DevicePointer address, std::size_t bytes) const;

    [[nodiscard]] std::size_t l2_bytes() const { return l2_bytes_; }
    [[nodiscard]] static std::size_t needed_bytes(std::size_t l2_bytes);

private:
    void overwrite(const memory::DeviceBuffer& region) const;

    const Machine& machine_;
    std::size_t l2_bytes_;
    driver::Function write_;
    driver::Function read_;
    driver::Function demote_;
    memory::DeviceBuffer written_;
    memory::DeviceBuffer read_region_;
    memory::DeviceBuffer sink_;
};

}  // namespace warpwright::timing
