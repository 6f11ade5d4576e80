#include "time/clocks.hpp"

#include <algorithm>
#include <cstring>

#include "driver/device_info.hpp"
#include "driver/error.hpp"
#include "launch/own_kernel.hpp"

namespace warpwright::timing {
namespace {

// Blocks go to the emptiest SM first: twice as many as SMs reach all of them.
constexpr unsigned blocks_per_sm = 2;

// SM numbers may have gaps where SMs are disabled.
constexpr std::size_t slots_per_sm = 4;
constexpr std::size_t fewest_slots = 1024;

}  // namespace

ClockReading compare_clocks(const std::vector<ClockSlot>& before, const std::vector<ClockSlot>& after) {
    std::vector<double> rates;
    std::uint64_t longest_ns = 0;
    for (std::size_t sm = 0; sm < (std::min)(before.size(), after.size()); ++sm) {
        const ClockSlot& first = before[sm];
        const ClockSlot& last = after[sm];
        if (first.nanoseconds == 0 || last.nanoseconds <= first.nanoseconds || last.cycles <= first.cycles) {
            continue;
        }
        const std::uint64_t span_ns = last.nanoseconds - first.nanoseconds;
        longest_ns = (std::max)(longest_ns, span_ns);
        if (span_ns >= shortest_span_ns) {
            rates.push_back(static_cast<double>(last.cycles - first.cycles) * 1000.0 / static_cast<double>(span_ns));
        }
    }
    if (longest_ns == 0) {
        return {std::nullopt, "no SM was seen at both borders"};
    }
    if (rates.empty()) {
        return {std::nullopt, "it took " + std::to_string(longest_ns / 1000) +
                                  " us; the GPU's timer is too coarse for less than 200 us"};
    }
    std::sort(rates.begin(), rates.end());
    const std::size_t middle = rates.size() / 2;
    return {rates.size() % 2 == 1 ? rates[middle] : (rates[middle - 1] + rates[middle]) / 2.0, ""};
}

Clocks::Clocks(const Machine& machine)
    : machine_(machine),
      function_(machine.module(own_module).function("ww_clock")),
      blocks_(blocks_per_sm * static_cast<unsigned>(machine.context.attribute(driver::sm_count))),
      slot_count_((std::max)(fewest_slots, slots_per_sm * blocks_ / blocks_per_sm)),
      first_(machine.api, slot_count_ * sizeof(ClockSlot)),
      last_(machine.api, slot_count_ * sizeof(ClockSlot)) {}

void Clocks::read_first() {
    enqueue(first_);
    before_ = slots_of(first_);
}

void Clocks::enqueue_last() const { enqueue(last_); }

// What the slots held before may have been written by a candidate.
void Clocks::enqueue(const memory::DeviceBuffer& slots) const {
    WARPWRIGHT_CALL(machine_.api, fill_bytes, slots.address(), 0, slots.bytes(), machine_.context.stream());
    launch::launch_own(machine_.api, function_, launch::Shape{blocks_, 1, 0}, machine_.context.stream(),
                       slots.address());
}

ClockReading Clocks::read() const { return compare_clocks(before_, slots_of(last_)); }

std::vector<ClockSlot> Clocks::slots_of(const memory::DeviceBuffer& slots) const {
    const HostBytes bytes = machine_.staging.read(machine_.context.stream(), slots.address(), slots.bytes());
    std::vector<ClockSlot> copy(slot_count_);
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    return copy;
}

}  // namespace warpwright::timing
