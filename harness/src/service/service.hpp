// From a request to its reply: the state of one process, and what each operation does with it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "driver/api.hpp"
#include "driver/context.hpp"
#include "driver/device_info.hpp"
#include "driver/module.hpp"
#include "memory/staging.hpp"
#include "nvml/monitor.hpp"
#include "protocol/channel.hpp"
#include "protocol/exchange.hpp"
#include "protocol/write.hpp"
#include "service/machine.hpp"

namespace warpwright {

// once: requests come from a recorded job: memory is plain and nothing is timed. exchange: null where there is no
// folder.
struct ServiceOptions {
    std::optional<std::string> profiled;
    bool once = false;
    Exchange* exchange = nullptr;
};

// exit_code: the process ends after this reply. dead: without tidying up, since the context no longer answers.
// failed: the reply is an error or a fault.
struct Answer {
    Reply reply;
    std::optional<int> exit_code;
    bool dead = false;
    bool failed = false;
};

class Service {
public:
    Service(const driver::Api& api, ServiceOptions options);

    // Carries the request out. Failures become replies; what this throws is a defect or the end of the host's memory.
    [[nodiscard]] Answer answer(Request request);

private:
    [[nodiscard]] Reply dispatch(Request request);
    [[nodiscard]] Reply hello(const Request& request);
    [[nodiscard]] Reply open(const Request& request);
    [[nodiscard]] Reply load(Request request);
    [[nodiscard]] Reply unload(const Request& request);
    [[nodiscard]] Reply run(Request request);
    [[nodiscard]] Reply time(Request request);
    [[nodiscard]] Machine machine(const std::string& op);

    const driver::Api& api_;
    ServiceOptions options_;
    std::optional<driver::DeviceInfo> device_;
    std::unique_ptr<nvml::Monitor> monitor_;  // of device_
    std::unique_ptr<driver::DeviceContext> context_;
    std::optional<memory::Staging> staging_;               // after context_: freed before it ends
    std::map<std::string, driver::LoadedModule> modules_;  // after context_: unloaded before it ends
};

// Initialises the driver and counts its GPUs. Throws DriverError; RequestError if there is no such GPU.
[[nodiscard]] driver::DeviceInfo find_gpu(const driver::Api& api, int index);

// What NVML says about it: what loads the library, once for each GPU in use.
[[nodiscard]] std::unique_ptr<nvml::Monitor> monitor_of(const driver::DeviceInfo& device);

// The reply to `hello` without its nonce. Throws DriverError.
[[nodiscard]] HelloReply describe_gpu(const driver::Api& api, const driver::DeviceInfo& device,
                                      const nvml::Monitor& monitor);

}  // namespace warpwright
