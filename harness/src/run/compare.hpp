// Whether a candidate left its inputs as they were.
#pragma once

#include <vector>

#include "memory/input_source.hpp"
#include "protocol/replies.hpp"
#include "protocol/requests.hpp"
#include "run/run_arrays.hpp"
#include "service/machine.hpp"

namespace warpwright {

// Where two arrays of bytes of one size differ. first_byte: of no meaning if bytes is 0.
struct Difference {
    std::size_t bytes = 0;
    std::size_t first_byte = 0;
};
[[nodiscard]] Difference differ(const HostBytes& a, const HostBytes& b);

// Makes every read-only input a second time in a fresh buffer, after the launches, and compares it on the GPU.
// Throws MemoryShortage, DriverError.
[[nodiscard]] std::vector<ModifiedInput> find_modified(const Machine& machine, const RunRequest& request,
                                                       const RunArrays& arrays, const memory::InputSource& inputs);

// The same without any kernel, for runs under a profiler: copies on the host from before and after the launches.
class HostSnapshot {
public:
    // Copies every read-only input to the host. All three must outlive this.
    HostSnapshot(const Machine& machine, const RunRequest& request, const RunArrays& arrays);

    [[nodiscard]] std::vector<ModifiedInput> find_modified() const;

private:
    const Machine& machine_;
    const RunRequest& request_;
    const RunArrays& arrays_;
    std::vector<HostBytes> copies_;  // in the order of the request; empty where there is nothing to compare
};

}  // namespace warpwright
