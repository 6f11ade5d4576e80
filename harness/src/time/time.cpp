#include "time/time.hpp"

#include <algorithm>

#include "time/block.hpp"
#include "time/stage.hpp"

namespace warpwright {
namespace {

// A GPU that idles for longer while outputs are copied is made busy again: its clocks may have gone down.
constexpr double longest_idle_s = 0.010;
constexpr double busy_again_ratio = 0.2;

bool keeps_outputs(const Block& block) {
    return std::any_of(block.launches.begin(), block.launches.end(),
                       [](const ScheduledLaunch& launch) { return launch.keep; });
}

// Copies the kept outputs of a block, and makes the GPU busy again if that took long.
void keep_outputs(const timing::Stage& stage, std::size_t block, std::vector<KeptOutput>& kept) {
    const double start_s = stage.deadline.elapsed_s();
    stage.kept.collect(block, kept);
    if (stage.deadline.elapsed_s() - start_s > longest_idle_s) {
        stage.keep_busy(busy_again_ratio * stage.request.spin_ms);
    }
}

}  // namespace

TimeReply time(Machine& machine, const TimeRequest& request) {
    TimeReply reply;
    reply.free_memory_bytes = machine.context.free_memory_bytes();
    reply.sets = request.sets;
    timing::Stage stage(machine, request);
    reply.flush_bytes = request.cold ? timing::flush_bytes(stage.flush.l2_bytes()) : 0;
    stage.warm_up();
    for (std::size_t index = 0; index < request.blocks.size(); ++index) {
        std::optional<BlockReply> block = timing::BlockRun(stage, index).carry_out(reply.unavailable);
        if (!block) {
            reply.truncated = true;
            break;
        }
        reply.blocks.push_back(std::move(*block));
        if (keeps_outputs(request.blocks[index])) {
            keep_outputs(stage, index, reply.kept);
        }
    }
    reply.guards = stage.sets.check_guards();
    return reply;
}

}  // namespace warpwright
