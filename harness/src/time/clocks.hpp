// The SM clock during a block, from the GPU's own counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

// Cycles per microsecond. why_unknown: no SM was seen at both borders, or none for long enough; empty if mhz is known.
struct ClockReading {
    std::optional<double> mhz;
    std::string why_unknown;
};

// The median over the SMs that were seen at both borders. before, after: by SM number.
[[nodiscard]] ClockReading compare_clocks(const std::vector<ClockSlot>& before, const std::vector<ClockSlot>& after);

class Clocks {
public:
    // machine must outlive this. Throws MemoryShortage, RequestError (own kernels missing), DriverError.
    explicit Clocks(const Machine& machine);

    // Reads the clocks at the first border of a block. Waits: what the candidate's launches find may be changed.
    void read_first();
    // Queues the reading at the last border.
    void enqueue_last() const;
    // Between the two borders. Waits for the stream.
    [[nodiscard]] ClockReading read() const;

private:
    void enqueue(const memory::DeviceBuffer& slots) const;
    [[nodiscard]] std::vector<ClockSlot> slots_of(const memory::DeviceBuffer& slots) const;

    const Machine& machine_;
    driver::Function function_;
    unsigned blocks_;
    std::size_t slot_count_;
    memory::DeviceBuffer first_;
    memory::DeviceBuffer last_;
    std::vector<ClockSlot> before_;
};

}  // namespace warpwright::timing
