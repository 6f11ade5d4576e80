// The arguments of a launch in the form that the driver takes: one pointer per parameter.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "driver/api.hpp"
#include "protocol/requests.hpp"

namespace warpwright::launch {

// Device address of every array of a plan, by name.
using Addresses = std::map<std::string, driver::DevicePointer>;

class Parameters {
public:
    // args: names in the order of the kernel's parameters. Throws RequestError for a name that is neither array nor
    // scalar, and for a scalar of no bytes or more than the 4 KiB that all parameters together may have.
    Parameters(const std::vector<std::string>& args, const Addresses& arrays, const std::vector<ScalarSpec>& scalars);
    Parameters(Parameters&&) = default;
    Parameters& operator=(Parameters&&) = default;
    Parameters(const Parameters&) = delete;
    Parameters& operator=(const Parameters&) = delete;

    // What cuLaunchKernelEx takes; valid as long as this object lives. The driver reads through it and never writes.
    [[nodiscard]] void** pointers() { return pointers_.data(); }
    [[nodiscard]] std::size_t count() const { return pointers_.size(); }

private:
    // Unit of storage: aligned for every type that a parameter can have.
    struct alignas(16) Unit {
        std::array<unsigned char, 16> bytes;
    };

    void append(const void* bytes, std::size_t count);

    std::vector<std::vector<Unit>> storage_;
    std::vector<void*> pointers_;
};

}  // namespace warpwright::launch
