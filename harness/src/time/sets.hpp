// Copies of every array, at different addresses, over which launches rotate.
#pragma once

#include <cstddef>
#include <vector>

#include "launch/parameters.hpp"
#include "memory/guarded_array.hpp"
#include "protocol/replies.hpp"
#include "service/machine.hpp"

namespace warpwright::timing {

// Bytes by which set `set` is moved up: consecutive sets differ by an odd multiple of 256.
[[nodiscard]] std::size_t shift_bytes(std::size_t set);

// Device memory that `sets` sets take, guards and the allocator's rounding included.
[[nodiscard]] std::size_t needed_bytes(const std::vector<ArraySpec>& arrays, std::size_t sets);

class ArraySets {
public:
    // arrays and what machine refers to must outlive this. Allocates and fills guards. Throws MemoryShortage,
    // DriverError.
    ArraySets(const Machine& machine, const std::vector<ArraySpec>& arrays, std::size_t sets);

    [[nodiscard]] std::size_t count() const { return sets_.size(); }
    [[nodiscard]] driver::DevicePointer address(std::size_t set, std::size_t array) const {
        return sets_[set][array].address();
    }
    [[nodiscard]] launch::Addresses addresses(std::size_t set) const;

    // Queues the poisoning of a set's outputs and scratch; inputs and `inout` are left alone.
    void poison(std::size_t set) const;
    // Queues the overwriting of every array of every set, inputs as well: what a launch left there is gone.
    void scrub() const;
    // Queue entries of the poisoning of one set.
    [[nodiscard]] std::size_t poisoned_arrays() const;

    // Guards of all sets, one entry for each array and side that changed. Waits for the stream.
    [[nodiscard]] std::vector<GuardViolation> check_guards() const;

private:
    const std::vector<ArraySpec>& specs_;
    const memory::Staging& staging_;
    driver::Stream stream_;
    std::vector<std::vector<memory::GuardedArray>> sets_;
};

}  // namespace warpwright::timing
