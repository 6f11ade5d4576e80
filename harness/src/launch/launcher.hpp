// A launch plan made ready: functions found, limits raised, parameters packed; launching it is then cheap.
#pragma once

#include <cstddef>
#include <vector>

#include "driver/api.hpp"
#include "driver/module.hpp"
#include "launch/fault.hpp"
#include "launch/parameters.hpp"
#include "protocol/requests.hpp"

namespace warpwright::launch {

class PreparedPlan {
public:
    // module: must outlive this. Throws RequestError for symbols and arguments that are not there; CandidateFault of
    // kind `launch_resources` or `launch_config` if the GPU does not allow what a launch asks for.
    PreparedPlan(const driver::Api& api, const driver::LoadedModule& module, const Plan& plan, const Addresses& arrays,
                 const std::vector<ScalarSpec>& scalars);

    [[nodiscard]] std::size_t size() const { return launches_.size(); }

    // Which launch that is, for faults.
    [[nodiscard]] const Origin& origin(std::size_t index) const { return launches_[index].origin; }

    // Queues one launch. Throws CandidateFault with launch and entry if the driver refuses it; without them if the
    // context was dead before (the launch that killed it came earlier).
    void enqueue(driver::Stream stream, std::size_t index);

    // Queues all launches in order.
    void enqueue(driver::Stream stream);

private:
    struct Launch {
        Origin origin;
        driver::Function function;
        driver::LaunchConfiguration configuration;
        std::vector<driver::LaunchAttribute> attributes;
        Parameters parameters;
    };

    const driver::Api* api_;
    bool is_candidate_;  // not one of the harness's own kernels
    std::vector<Launch> launches_;
};

}  // namespace warpwright::launch
