#include "time/block.hpp"

#include <algorithm>
#include <sstream>

#include "driver/error.hpp"
#include "memory/lost_context.hpp"
#include "time/parts.hpp"
#include "time/readings.hpp"

namespace warpwright::timing {
namespace {

constexpr unsigned char shared_poison = 0xFF;

// A GPU that idles for longer while outputs are copied is made busy again: its clocks may have gone down.
constexpr double longest_idle_s = 0.010;
constexpr double busy_again_ratio = 0.2;

constexpr const char* changed_inputs =
    "the launch failed, since inputs that are kept on the device for later launches had been changed: some launch "
    "wrote to memory that is not among its arguments";

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

}  // namespace

BlockRun::BlockRun(Stage& stage, std::size_t index)
    : stage_(stage),
      index_(index),
      block_(stage.request.blocks[index]),
      contestant_(stage.contestants[block_.contestant]) {}

std::optional<BlockReply> BlockRun::carry_out(std::map<std::string, std::string>& unavailable) {
    try {
        try {
            return measure(unavailable);
        } catch (const CandidateFault& fault) {
            let_go(fault.fatal);
            throw;
        } catch (const driver::DriverError& error) {
            let_go(driver::is_sticky(error.code()));
            // A launch that died is reported by whichever call comes next.
            if (driver::is_sticky(error.code())) {
                launch::throw_fault(error, contestant_.origin());
            }
            throw;
        }
    } catch (const CandidateFault& fault) {
        throw located(fault);
    }
}

CandidateFault BlockRun::located(const CandidateFault& fault) const {
    // No launch of this block need be the one that changed them.
    const bool changed = fault.fatal && fault.kind != "timeout" && stage_.inputs.changed();
    const std::string block =
        "block " + std::to_string(index_) + " (contestant " + std::to_string(block_.contestant) + "): ";
    CandidateFault copy(changed ? "trap" : fault.kind, block + (changed ? changed_inputs : fault.what()), fault.fatal);
    copy.call = fault.call;
    copy.code = fault.code;
    copy.code_name = fault.code_name;
    if (!changed) {
        copy.launch = fault.launch;
        copy.entry = fault.entry;
    }
    return copy;
}

void BlockRun::let_go(bool dead) const {
    stage_.blocker.release();
    if (!dead && !memory::context_is_lost()) {
        launch::drain(stage_.machine.api, stage_.machine.context.stream(), stage_.deadline, contestant_.origin());
    }
}

std::optional<BlockReply> BlockRun::measure(std::map<std::string, std::string>& unavailable) {
    const std::size_t count = block_.launches.size();
    if (!fits(contestant_.history.wall_s.value_or(0.0) * static_cast<double>(count))) {
        return std::nullopt;
    }
    const double start_s = stage_.deadline.elapsed_s();
    reset_state();
    const nvml::Reading before = stage_.last_reading ? *stage_.last_reading : stage_.machine.monitor.read();
    stage_.clocks.read_first();
    std::size_t begin = 0;
    if (!contestant_.history.launched) {
        run_first();
        begin = 1;
        if (!fits(*contestant_.history.unit_us * 1e-6 * static_cast<double>(count - 1))) {
            return std::nullopt;
        }
    }
    const std::optional<std::string> off = blocker_off();
    run_rest(begin, !off);
    BlockReply reply;
    reply.blocker = off ? "off: " + *off : "on";
    stage_.last_reading = stage_.machine.monitor.read();  // one reading serves both blocks at a border
    add_readings(before, *stage_.last_reading, reply, unavailable);
    finish_reply(reply, stage_.deadline.elapsed_s() - start_s - reading_s_);
    const ClockReading clock = stage_.clocks.read();
    reply.sm_mhz = clock.mhz;
    if (!clock.mhz) {
        unavailable["sm_mhz"] = "block " + std::to_string(index_) + ": " + clock.why_unknown;
    }
    return reply;
}

void BlockRun::finish_reply(BlockReply& reply, double seconds) const {
    for (std::size_t launch = 0; launch < block_.launches.size(); ++launch) {
        reply.samples_us.push_back(sample_us(launch));
    }
    if (gave_up_) {
        reply.blocker = "off: it gave up after 2 s, the host took longer to queue the block";  // callers look for this
    }
    contestant_.history.unit_us = median(reply.samples_us);
    contestant_.history.wall_s = seconds / static_cast<double>(block_.launches.size());
}

bool BlockRun::fits(double seconds) const {
    return stage_.deadline.elapsed_s() + seconds <= stage_.request.time_limit_s;
}

void BlockRun::reset_state() const {
    for (const TimedContestant& contestant : stage_.contestants) {
        contestant.restore_globals();
    }
    stage_.shared_filler.enqueue(stage_.machine.context.stream(), shared_poison);
    stage_.sets.scrub();
    stage_.flush.scrub();
    stage_.finish(launch::Origin{});
    const driver::Result code = stage_.machine.api.context_reset_persisting();
    if (code != driver::not_supported) {  // no persisting L2: nothing to reset
        driver::check(stage_.machine.api, code, driver::exported_name("context_reset_persisting"));
    }
}

void BlockRun::run_first() {
    run_part(0, 1, false);
    contestant_.history.launched = true;
    contestant_.history.unit_us = sample_us(0);
}

void BlockRun::run_rest(std::size_t begin, bool held) {
    const std::size_t count = block_.launches.size();
    const std::size_t most = held ? units_per_part(stage_.unit_entries(block_)) : count;
    for (const std::size_t end : part_ends(block_, begin, most)) {
        run_part(begin, end, held);
        begin = end;
    }
}

void BlockRun::run_part(std::size_t begin, std::size_t end, bool held) {
    if (held) {
        stage_.blocker.hold();
    }
    for (std::size_t launch = begin; launch < end; ++launch) {
        enqueue_unit(launch);
    }
    if (end == block_.launches.size()) {
        stage_.clocks.enqueue_last();
    }
    stage_.blocker.release();
    stage_.finish(contestant_.origin());
    gave_up_ = gave_up_ || (held && stage_.blocker.timed_out());
    if (block_.launches[end - 1].keep) {
        read_kept(end - 1);
    }
}

// Before anything else is queued, or a later launch could do the work of this one.
void BlockRun::read_kept(std::size_t launch) {
    const double start_s = stage_.deadline.elapsed_s();
    stage_.kept.read(index_, launch, kept_);
    if (stage_.deadline.elapsed_s() - start_s > longest_idle_s) {
        stage_.keep_busy(busy_again_ratio * stage_.request.spin_ms);
    }
    reading_s_ += stage_.deadline.elapsed_s() - start_s;
}

// Inputs are made no earlier than this, or the first launch of a block could do the work of all that follow.
void BlockRun::enqueue_unit(std::size_t launch) const {
    const driver::Stream stream = stage_.machine.context.stream();
    const std::size_t set = launch % stage_.sets.count();
    stage_.inputs.fill(block_.launches[launch].values, stage_.sets, set);
    stage_.sets.poison(set);
    stage_.shared_filler.enqueue(stream, shared_poison);
    stage_.enqueue_cache_state(set);
    const EventPair& pair = stage_.events[launch];
    pair.start.record(stream);
    contestant_.enqueue(set);
    pair.stop.record(stream);
}

std::optional<std::string> BlockRun::blocker_off() const {
    if (stage_.machine.profiled) {
        return *stage_.machine.profiled;
    }
    if (!stage_.request.blocker) {
        return "the request says so";
    }
    if (block_.launches.size() == 1 && !contestant_.history.wall_s) {
        return "the first launch of a contestant is not held back";
    }
    const UnitEntries unit = stage_.unit_entries(block_);
    if (units_per_part(unit) == 0) {
        return "a unit has " + std::to_string(unit.total()) + " queue entries, a blocker holds back " +
               std::to_string(most_entries) + " at most";
    }
    const double unit_us = contestant_.history.unit_us.value_or(0.0);
    if (unit_us > longest_held_us) {
        std::ostringstream text;
        text << "a unit takes " << unit_us / 1000.0 << " ms; above 5 ms a wait for the host does not matter";
        return text.str();
    }
    return std::nullopt;
}

double BlockRun::sample_us(std::size_t launch) const {
    return launch::elapsed_us(stage_.machine.api, stage_.events[launch].start, stage_.events[launch].stop);
}

}  // namespace warpwright::timing
