#include "run/run.hpp"

#include <algorithm>
#include <optional>

#include "driver/error.hpp"
#include "launch/event.hpp"
#include "launch/launcher.hpp"
#include "launch/shared_filler.hpp"
#include "launch/watch.hpp"
#include "memory/input_source.hpp"
#include "protocol/faults.hpp"
#include "run/compare.hpp"
#include "run/run_arrays.hpp"

namespace warpwright {
namespace {

// The harness's own kernels. None if this run needs none of them, as under a profiler without recipes.
const driver::LoadedModule* own_kernels(const Machine& machine, const RunRequest& request) {
    const bool recipes = std::any_of(request.arrays.begin(), request.arrays.end(),
                                     [](const ArraySpec& array) { return array.recipe.has_value(); });
    const bool compared = !request.plain_memory && largest_input_bytes(request.arrays) != 0;
    return recipes || compared || request.fill_shared ? &machine.module(own_module) : nullptr;
}

// Every launch is waited for on its own, so that a fault is that launch's.
void launch_all(const Machine& machine, launch::PreparedPlan& plan, const launch::Event& stop,
                const launch::Deadline& deadline) {
    const driver::Stream stream = machine.context.stream();
    for (std::size_t index = 0; index < plan.size(); ++index) {
        plan.enqueue(stream, index);
        try {
            stop.record(stream);
        } catch (const driver::DriverError& error) {  // the launch may have failed already, or be in flight
            if (!driver::is_sticky(error.code())) {
                launch::drain(machine.api, stream, deadline, plan.origin(index));
            }
            launch::throw_fault(error, plan.origin(index));
        }
        launch::await(machine.api, stop, deadline, plan.origin(index));
    }
}

// Queues everything that comes before the launches and waits for it: what fails here is not the candidate's.
// Gives the host's copy of the inputs where they are compared there.
std::optional<HostSnapshot> prepare(const Machine& machine, const RunRequest& request, const RunArrays& arrays,
                                    const memory::InputSource& inputs, const driver::LoadedModule* own) {
    const driver::Stream stream = machine.context.stream();
    arrays.fill(inputs);
    std::optional<HostSnapshot> snapshot;
    if (request.plain_memory) {
        snapshot.emplace(machine, request, arrays);
    }
    std::optional<launch::SharedFiller> filler;
    if (request.fill_shared) {
        filler.emplace(machine.context, *own);
        filler->enqueue(stream, request.poison);
    }
    WARPWRIGHT_CALL(machine.api, context_synchronize, );
    return snapshot;
}

}  // namespace

RunReply run(Machine& machine, const RunRequest& request) {
    const driver::Api& api = machine.api;
    const driver::Stream stream = machine.context.stream();
    const driver::LoadedModule& module = machine.module(request.module);
    if (request.plan.launches.empty()) {
        throw RequestError("plan: launches is empty; at least one is needed");
    }
    const driver::LoadedModule* own = own_kernels(machine, request);
    const memory::InputSource inputs(api, own);
    const RunArrays arrays(machine, request);
    launch::PreparedPlan plan(api, module, request.plan, arrays.addresses(), request.scalars);
    const std::optional<HostSnapshot> snapshot = prepare(machine, request, arrays, inputs, own);

    const launch::Event start(api);
    const launch::Event stop(api);
    start.record(stream);
    const launch::Deadline deadline(request.time_limit_s);
    launch_all(machine, plan, stop, deadline);

    RunReply reply;
    reply.seconds = deadline.elapsed_s();
    reply.device_us = launch::elapsed_us(api, start, stop);
    reply.modified = snapshot ? snapshot->find_modified() : find_modified(machine, request, arrays, inputs);
    reply.guards = arrays.check_guards();
    reply.outputs = arrays.read_returned();
    reply.no_pages = arrays.no_pages();
    return reply;
}

}  // namespace warpwright
