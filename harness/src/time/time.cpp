#include "time/time.hpp"

#include <utility>

#include "time/block.hpp"
#include "time/stage.hpp"

namespace warpwright {

TimeReply time(Machine& machine, const TimeRequest& request) {
    TimeReply reply;
    reply.free_memory_bytes = machine.context.free_memory_bytes();
    reply.sets = request.sets;
    timing::Stage stage(machine, request);
    reply.flush_bytes = request.cold ? timing::flush_bytes(stage.flush.l2_bytes()) : 0;
    stage.warm_up();
    for (std::size_t index = 0; index < request.blocks.size(); ++index) {
        timing::BlockRun run(stage, index);
        std::optional<BlockReply> block = run.carry_out(reply.unavailable);
        if (!block) {
            reply.truncated = true;
            break;
        }
        reply.blocks.push_back(std::move(*block));
        for (KeptOutput& kept : run.take_kept()) {
            reply.kept.push_back(std::move(kept));
        }
    }
    reply.guards = stage.sets.check_guards();
    return reply;
}

}  // namespace warpwright
