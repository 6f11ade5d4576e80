// Waiting for the GPU with a deadline: a kernel that does not end must not take the harness with it.
#pragma once

#include <chrono>
#include <string>

#include "driver/api.hpp"
#include "launch/event.hpp"
#include "launch/fault.hpp"

namespace warpwright::launch {

class Deadline {
public:
    explicit Deadline(double seconds);

    [[nodiscard]] bool passed() const;
    [[nodiscard]] double limit_s() const { return limit_s_; }
    // Wall-clock seconds since it was set.
    [[nodiscard]] double elapsed_s() const;

private:
    std::chrono::steady_clock::time_point start_;
    double limit_s_;
};

// Polls until the stream has come to the event: first without a pause, then with short sleeps.
// Throws CandidateFault: of kind `timeout` (fatal) at the deadline, after which the context is marked as lost; of the
// kind that the driver reports if a launch failed. Throws DriverError for failures that are not a candidate's.
void await(const driver::Api& api, const Event& event, const Deadline& deadline, const Origin& origin);

}  // namespace warpwright::launch
