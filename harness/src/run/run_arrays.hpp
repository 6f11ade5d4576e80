// The arrays of one run: each between guards and, where the GPU can, between unmapped pages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "launch/parameters.hpp"
#include "memory/guarded_array.hpp"
#include "memory/input_source.hpp"
#include "protocol/replies.hpp"
#include "protocol/requests.hpp"
#include "service/machine.hpp"

namespace warpwright {

class RunArrays {
public:
    // Allocates all of them. machine, request: must outlive this. Throws MemoryShortage before anything is allocated if
    // they and what the comparison of inputs takes do not fit; RequestError, DriverError.
    RunArrays(const Machine& machine, const RunRequest& request);

    // Why there are no unmapped pages around the arrays; none: there are.
    [[nodiscard]] const std::optional<std::string>& no_pages() const { return no_pages_; }
    [[nodiscard]] launch::Addresses addresses() const;
    [[nodiscard]] driver::DevicePointer address(std::size_t index) const { return arrays_[index].address(); }

    // Queues the guards, poison, zeros and inputs.
    void fill(const memory::InputSource& inputs) const;

    // Both copy to the host and wait for it.
    [[nodiscard]] std::vector<GuardViolation> check_guards() const;
    [[nodiscard]] std::vector<NamedArray> read_returned() const;

private:
    void allocate(bool pages);

    const Machine& machine_;
    const RunRequest& request_;
    std::optional<std::string> no_pages_;
    std::vector<memory::GuardedArray> arrays_;  // in the order of the request
};

// Bytes of the largest array that is read only: what the comparison of inputs needs besides the arrays.
[[nodiscard]] std::size_t largest_input_bytes(const std::vector<ArraySpec>& arrays);

}  // namespace warpwright
