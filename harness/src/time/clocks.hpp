// The SM clock during a block, from the GPU's own counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/device_buffer.hpp"
#include "service/machine.hpp"

namespace warpwright::timing {

// One SM's nanoseconds and cycles; both 0: no thread ran there.
struct ClockSlot {
    std::uint64_t nanoseconds = 0;
    std::uint64_t cycles = 0;
};

// The timer's steps (up to 1 us) are too coarse for less.
inline constexpr std::uint64_t shortest_span_ns = 200'000;

// Median over SMs of cycles per microsecond between two borders; none if no SM was seen at both, or for short spans.
[[nodiscard]] std::optional<double> median_mhz(const std::vector<ClockSlot>& before,
                                               const std::vector<ClockSlot>& after);

class Clocks {
public:
    // machine must outlive this. Throws MemoryShortage, RequestError (own kernels missing), DriverError.
    explicit Clocks(const Machine& machine);

    // Queue the reading at the first and at the last border of a block.
    void enqueue_first() const;
    void enqueue_last() const;
    // Between the two borders. Waits for the stream.
    [[nodiscard]] std::optional<double> sm_mhz() const;

private:
    void enqueue(const memory::DeviceBuffer& slots) const;
    [[nodiscard]] std::vector<ClockSlot> read(const memory::DeviceBuffer& slots) const;

    const Machine& machine_;
    driver::Function function_;
    unsigned blocks_;
    std::size_t slot_count_;
    memory::DeviceBuffer first_;
    memory::DeviceBuffer last_;
};

}  // namespace warpwright::timing
