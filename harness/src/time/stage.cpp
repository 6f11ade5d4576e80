#include "time/stage.hpp"

#include <algorithm>
#include <cstdint>

#include "driver/device_info.hpp"
#include "driver/error.hpp"
#include "launch/own_kernel.hpp"
#include "time/request_check.hpp"

namespace warpwright::timing {
namespace {

// What the schedule's limit may be overrun by before a kernel counts as one that does not end: blocks are begun by an
// estimate of their time.
constexpr double grace_s = 2.0;

// Checked before anything is allocated.
const TimeRequest& affordable(const Machine& machine, const TimeRequest& request) {
    check_request(request);
    const auto l2_bytes = static_cast<std::size_t>((std::max)(machine.context.attribute(driver::l2_cache_bytes), 0));
    std::size_t needed = needed_bytes(request.arrays, request.sets);
    needed = memory::saturating_add(needed, pool_bytes(request.arrays));
    needed = memory::saturating_add(needed, Flush::needed_bytes(l2_bytes));
    memory::require_free(machine.api, needed, "the sets, pools and flush regions of this schedule");
    return request;
}

std::vector<EventPair> event_pairs(const driver::Api& api, const std::vector<Block>& blocks) {
    std::size_t most = 0;
    for (const Block& block : blocks) {
        most = (std::max)(most, block.launches.size());
    }
    std::vector<EventPair> pairs;
    for (std::size_t pair = 0; pair < most; ++pair) {
        pairs.push_back({launch::Event(api), launch::Event(api)});
    }
    return pairs;
}

}  // namespace

Stage::Stage(const Machine& machine_, const TimeRequest& request_)
    : machine(machine_),
      request(affordable(machine_, request_)),
      deadline(request_.time_limit_s + grace_s),
      flush(machine_),
      sets(machine_, request_.arrays, request_.sets),
      inputs(machine_, request_.arrays),
      kept(machine_, request_, sets),
      clocks(machine_),
      blocker(machine_),
      shared_filler(machine_.context, machine_.module(own_module)),
      events(event_pairs(machine_.api, request_.blocks)),
      done_(machine_.api) {
    for (const Contestant& contestant : request_.contestants) {
        contestants.emplace_back(machine, request, contestant, sets);
    }
}

void Stage::warm_up() {
    const driver::LoadedModule& own = machine.module(own_module);
    const driver::Stream stream = machine.context.stream();
    launch::launch_own(machine.api, own.function("ww_empty"), launch::Shape{1, 1, 0}, stream);
    launch::launch_own(machine.api, own.function("ww_generate"), launch::Shape{1}, stream, driver::DevicePointer{0},
                       std::uint64_t{0}, static_cast<std::uint32_t>(Element::f32),
                       static_cast<std::uint32_t>(RecipeKind::ones), std::uint64_t{0}, std::uint64_t{0}, 0.0, 0.0,
                       std::uint64_t{0}, std::uint64_t{0});
    flush.demote(driver::DevicePointer{0}, 0);
    flush.enqueue();
    shared_filler.enqueue(stream, 0xFF);
    clocks.read_first();
    clocks.enqueue_last();
    blocker.hold();
    blocker.release();
    keep_busy(request.spin_ms);
}

void Stage::keep_busy(double milliseconds) const {
    const auto nanoseconds = static_cast<std::uint64_t>(milliseconds * 1e6);
    const auto sms = static_cast<unsigned>(machine.context.attribute(driver::sm_count));
    launch::launch_own(machine.api, machine.module(own_module).function("ww_spin"), launch::Shape{sms},
                       machine.context.stream(), nanoseconds);
    finish(launch::Origin{});
}

void Stage::finish(const launch::Origin& origin) const {
    done_.record(machine.context.stream());
    launch::await(machine.api, done_, deadline, origin);
}

void Stage::enqueue_cache_state(std::size_t set) const {
    if (request.cold) {
        make_cold(set);
    } else {
        make_warm(set);
    }
}

// An earlier launch may have asked L2 to keep lines of this set; what has filled them since does not change that.
void Stage::make_cold(std::size_t set) const {
    for (std::size_t array = 0; array < request.arrays.size(); ++array) {
        if (const std::size_t bytes = request.arrays[array].bytes(); bytes != 0) {
            flush.demote(sets.address(set, array), bytes);
        }
    }
    for (unsigned count = 0; count < request.flushes; ++count) {
        flush.enqueue();
    }
}

void Stage::make_warm(std::size_t set) const {
    for (std::size_t array = 0; array < request.arrays.size(); ++array) {
        const ArraySpec& spec = request.arrays[array];
        if (spec.is_input() && spec.bytes() != 0) {
            flush.warm(sets.address(set, array), spec.bytes());
        }
    }
}

UnitEntries Stage::unit_entries(const Block& block) const {
    const TimedContestant& contestant = contestants[block.contestant];
    const auto inputs_count = static_cast<std::size_t>(std::count_if(
        request.arrays.begin(), request.arrays.end(), [](const ArraySpec& array) { return array.is_input(); }));
    UnitEntries unit;
    unit.fills = inputs_count;
    unit.seals = inputs.checking_entries();
    unit.poisons = sets.poisoned_arrays() + 1;  // shared memory
    unit.cache = request.cold ? request.arrays.size() + request.flushes * flush_entries : inputs_count;
    unit.zeroings = contestant.zeroed_arrays();
    unit.launches = contestant.launches();
    return unit;
}

}  // namespace warpwright::timing
