// Sums over inputs under a secret key: whether what lies on the device between launches is as it was uploaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/device_buffer.hpp"
#include "memory/host_words.hpp"
#include "service/machine.hpp"

namespace warpwright::timing {

// Queue entries of a comparison of `arrays` arrays: begin, one add each, check.
[[nodiscard]] std::size_t seal_entries(std::size_t arrays);

class Seal {
public:
    // Draws a key of 128 random bits, which goes to the own kernels alone. machine must outlive this.
    // Throws MemoryShortage, RequestError (own kernels missing), DriverError.
    explicit Seal(const Machine& machine);

    // Queued one behind the other, with no candidate's launch between them:
    // the sum becomes 0;
    void begin() const;
    // the bytes of an array, 1 at least, are added (array: its index, under which it has a part of the key of its own);
    void add(std::size_t array, driver::DevicePointer address, std::size_t bytes) const;
    // the context dies unless the sum is as expected. It is 0 then: kernels find no sum.
    void check(std::uint64_t expected) const;

    // The sum between `add` and `check`. Waits for the stream.
    [[nodiscard]] std::uint64_t read() const;
    // Whether a comparison has ended the context. A kernel that knew the place could say so, too, of itself.
    [[nodiscard]] bool broken() const { return broken_.get(0) != 0; }

private:
    const Machine& machine_;
    driver::Function sum_;
    driver::Function check_;
    Key key_;
    memory::DeviceBuffer total_;
    memory::HostWords broken_;
};

}  // namespace warpwright::timing
