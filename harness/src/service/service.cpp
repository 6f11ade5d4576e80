#include "service/service.hpp"

#include <chrono>
#include <new>
#include <utility>

#include "driver/error.hpp"
#include "launch/fault.hpp"
#include "memory/lost_context.hpp"
#include "protocol/faults.hpp"
#include "protocol/parse.hpp"
#include "run/run.hpp"
#include "service/capabilities.hpp"
#include "service/exit_codes.hpp"
#include "time/time.hpp"

namespace warpwright {
namespace {

Answer failure(Reply reply, bool dead) {
    Answer answer{std::move(reply), std::nullopt, dead, true};
    if (dead) {
        answer.exit_code = exit_dead_context;
        answer.reply.body["fatal"] = true;
    }
    return answer;
}

// A sticky error that comes up after a candidate's kernels went to the GPU is theirs, whichever call it was that heard
// of it first. A context that was given up as lost is as dead as one that the driver calls so.
Answer driver_failure(const driver::DriverError& error) {
    const bool sticky = driver::is_sticky(error.code());
    if (sticky && launch::candidate_was_launched()) {
        return failure(to_reply(launch::make_fault(*driver::fault_kind(error.code()), error.what(), error, {})), true);
    }
    return failure(to_reply(error), sticky || memory::context_is_lost());
}

}  // namespace

Service::Service(const driver::Api& api, ServiceOptions options) : api_(api), options_(std::move(options)) {}

Answer Service::answer(Request request) {
    const bool ends = request.op == "bye";
    launch::begin_request();
    try {
        Answer answer{dispatch(std::move(request)), std::nullopt, false, false};
        if (ends) {
            answer.exit_code = exit_done;
        }
        return answer;
    } catch (const CandidateFault& fault) {
        return failure(to_reply(fault), fault.fatal);
    } catch (const RequestError& error) {
        return failure(to_reply(error), false);
    } catch (const MemoryShortage& error) {
        return failure(to_reply(error), false);
    } catch (const driver::DriverError& error) {
        return driver_failure(error);
    }
}

Reply Service::dispatch(Request request) {
    const std::string op = request.op;
    if (op == "hello") {
        return hello(request);
    }
    if (op == "open") {
        return open(request);
    }
    if (op == "load") {
        return load(std::move(request));
    }
    if (op == "unload") {
        return unload(request);
    }
    if (op == "run") {
        return run(std::move(request));
    }
    if (op == "time") {
        return time(std::move(request));
    }
    if (op == "heartbeat" || op == "bye") {
        parse_nothing(request.body, op);
        return {};
    }
    throw RequestError((op.empty() ? "op is missing or no string" : "unknown operation " + op) +
                       "; allowed: hello, open, load, unload, run, time, heartbeat, bye");
}

Reply Service::hello(const Request& request) {
    const HelloRequest hello = parse_hello(request.body);
    if (context_) {
        throw RequestError("hello: the context is open already; a process serves one GPU");
    }
    const driver::DeviceInfo device = find_gpu(api_, hello.device);
    std::unique_ptr<nvml::Monitor> monitor = monitor_of(device);
    HelloReply reply = describe_gpu(api_, device, *monitor);
    reply.nonce = hello.nonce;
    device_ = device;
    monitor_ = std::move(monitor);
    return to_reply(reply);
}

Reply Service::open(const Request& request) {
    parse_nothing(request.body, "open");
    if (!device_) {
        throw RequestError("open: no GPU is chosen; send hello first");
    }
    if (context_) {
        throw RequestError("open: the context is open already");
    }
    const auto begin = std::chrono::steady_clock::now();
    auto context = std::make_unique<driver::DeviceContext>(api_, device_->index);
    staging_.emplace(api_);
    context_ = std::move(context);
    OpenReply reply;
    reply.free_memory_bytes = context_->free_memory_bytes();
    reply.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return to_reply(reply);
}

Reply Service::load(Request request) {
    const LoadRequest load = parse_load(request.body, std::move(request.attachments));
    const Machine machine = this->machine("load");
    if (load.name != own_module && modules_.count(own_module) == 0) {
        throw RequestError("load " + load.name + ": the module " + own_module + " must be loaded first");
    }
    if (modules_.count(load.name) != 0) {
        throw RequestError("load " + load.name + ": a module of this name is loaded; unload it first");
    }
    const auto [entry, _] = modules_.emplace(load.name, driver::LoadedModule(api_, load, machine.context.stream()));
    return to_reply(LoadReply{entry->second.kernels()});
}

Reply Service::unload(const Request& request) {
    const std::string name = parse_unload(request.body);
    (void)machine("unload").module(name);
    modules_.erase(name);
    return {};
}

Reply Service::run(Request request) {
    RunRequest run = parse_run(request.body, std::move(request.attachments));
    run.plain_memory = run.plain_memory || options_.once;
    Machine machine = this->machine("run");
    return to_reply(warpwright::run(machine, run));
}

Reply Service::time(Request request) {
    if (options_.once) {
        throw RequestError("time: a recorded job is never timed; use run");
    }
    const TimeRequest time = parse_time(request.body, std::move(request.attachments));
    Machine machine = this->machine("time");
    return to_reply(warpwright::time(machine, time));
}

Machine Service::machine(const std::string& op) {
    if (!context_) {
        throw RequestError(op + ": no context; send hello and open first");
    }
    return {api_, *context_, *device_, *monitor_, modules_, options_.profiled, *staging_, options_.exchange};
}

driver::DeviceInfo find_gpu(const driver::Api& api, int index) {
    WARPWRIGHT_CALL(api, init, 0U);
    const int count = driver::device_count(api);
    if (index >= count) {
        throw RequestError("hello.device is " + std::to_string(index) + "; this machine has " + std::to_string(count) +
                           (count == 1 ? " GPU" : " GPUs") + ", counted from 0");
    }
    return driver::describe(api, index);
}

std::unique_ptr<nvml::Monitor> monitor_of(const driver::DeviceInfo& device) {
    return std::make_unique<nvml::Monitor>(nvml::Monitor::default_library(), device.uuid, device.pci_bus_id);
}

HelloReply describe_gpu(const driver::Api& api, const driver::DeviceInfo& device, const nvml::Monitor& monitor) {
    HelloReply reply;
    WARPWRIGHT_CALL(api, driver_version, &reply.driver_version);
    reply.device = device;
    reply.capabilities = capabilities(api, device, monitor);
    return reply;
}

}  // namespace warpwright
