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
// Throws CandidateFault: of kind `timeout` (fatal) at the deadline; of the kind that the driver reports if a launch
// failed. Throws DriverError for failures that are not a candidate's, and for both of these before a candidate was
// launched. At the deadline, and when the driver does not say how things stand, the context is marked as lost.
void await(const driver::Api& api, const Event& event, const Deadline& deadline, const Origin& origin);

// The same for all that has been queued on the stream. Needed before memory is freed while launches may be in flight:
// the driver would wait for them without a limit.
void drain(const driver::Api& api, driver::Stream stream, const Deadline& deadline, const Origin& origin);

}  // namespace warpwright::launch
