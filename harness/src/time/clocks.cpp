#include "time/clocks.hpp"

#include <algorithm>
#include <cstring>

#include "driver/device_info.hpp"
#include "driver/error.hpp"
#include "launch/own_kernel.hpp"
#include "memory/guarded_array.hpp"

namespace warpwright::timing {
namespace {

// Blocks go to the emptiest SM first: twice as many as SMs reach all of them.
constexpr unsigned blocks_per_sm = 2;

// SM numbers may have gaps where SMs are disabled.
constexpr std::size_t slots_per_sm = 4;
constexpr std::size_t fewest_slots = 1024;

}  // namespace

std::optional<double> median_mhz(const std::vector<ClockSlot>& before, const std::vector<ClockSlot>& after) {
    std::vector<double> rates;
    for (std::size_t sm = 0; sm < (std::min)(before.size(), after.size()); ++sm) {
        const ClockSlot& first = before[sm];
        const ClockSlot& last = after[sm];
        const bool seen = first.nanoseconds != 0 && last.nanoseconds > first.nanoseconds && last.cycles > first.cycles;
        if (seen && last.nanoseconds - first.nanoseconds >= shortest_span_ns) {
            rates.push_back(static_cast<double>(last.cycles - first.cycles) * 1000.0 /
                            static_cast<double>(last.nanoseconds - first.nanoseconds));
        }
    }
    if (rates.empty()) {
        return std::nullopt;
    }
    std::sort(rates.begin(), rates.end());
    const std::size_t middle = rates.size() / 2;
    return rates.size() % 2 == 1 ? rates[middle] : (rates[middle - 1] + rates[middle]) / 2.0;
}

Clocks::Clocks(const Machine& machine)
    : machine_(machine),
      function_(machine.module(own_module).function("ww_clock")),
      blocks_(blocks_per_sm * static_cast<unsigned>(machine.context.attribute(driver::sm_count))),
      slot_count_((std::max)(fewest_slots, slots_per_sm * blocks_ / blocks_per_sm)),
      first_(machine.api, slot_count_ * sizeof(ClockSlot)),
      last_(machine.api, slot_count_ * sizeof(ClockSlot)) {}

void Clocks::enqueue_first() const {
    for (const memory::DeviceBuffer* slots : {&first_, &last_}) {
        WARPWRIGHT_CALL(machine_.api, fill_bytes, slots->address(), 0, slots->bytes(), machine_.context.stream());
    }
    enqueue(first_);
}

void Clocks::enqueue_last() const { enqueue(last_); }

void Clocks::enqueue(const memory::DeviceBuffer& slots) const {
    launch::launch_own(machine_.api, function_, launch::Shape{blocks_, 1, 0}, machine_.context.stream(),
                       slots.address());
}

std::optional<double> Clocks::sm_mhz() const { return median_mhz(read(first_), read(last_)); }

std::vector<ClockSlot> Clocks::read(const memory::DeviceBuffer& slots) const {
    const Bytes bytes = memory::read_back(machine_.api, machine_.context.stream(), slots.address(), slots.bytes());
    std::vector<ClockSlot> copy(slot_count_);
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    return copy;
}

}  // namespace warpwright::timing
