// One block: launches of one contestant that are queued behind each other, each between its own two events.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/replies.hpp"
#include "time/stage.hpp"

namespace warpwright::timing {

// Units longer than this are not held back: beside them a wait for the host is nothing.
inline constexpr double longest_held_us = 5000.0;

class BlockRun {
public:
    // index: of the block in the request. stage must outlive this.
    BlockRun(Stage& stage, std::size_t index);

    // Carries the block out; none if it would have ended beyond the schedule's limit, which for a contestant's first
    // block is known after its first launch. unavailable: gets the reasons for what is missing in the reply.
    // Throws CandidateFault, DriverError.
    [[nodiscard]] std::optional<BlockReply> carry_out(std::map<std::string, std::string>& unavailable);

    // Outputs of the block's kept launches, once it has been carried out.
    [[nodiscard]] std::vector<KeptOutput> take_kept() { return std::move(kept_); }

private:
    // The same fault, its message beginning with the block, and with what is known of its cause.
    [[nodiscard]] CandidateFault located(const CandidateFault& fault) const;
    // After a failure: releases the blocker and waits for what is in flight, unless the context is dead. What comes up
    // meanwhile replaces the failure: a launch queued earlier hangs or has died. Throws as launch::drain.
    void let_go(bool dead) const;
    [[nodiscard]] std::optional<BlockReply> measure(std::map<std::string, std::string>& unavailable);
    // Whether that many seconds are left of the schedule's limit.
    [[nodiscard]] bool fits(double seconds) const;
    void reset_state() const;
    // The first launch of a contestant stands alone: the driver may have to wait for an idle GPU to make room for it.
    void run_first();
    void run_rest(std::size_t begin, bool held);
    // Queues launches [begin, end), held back by the blocker or not, and waits for them. Only the last one may be kept.
    void run_part(std::size_t begin, std::size_t end, bool held);
    // Copies a launch's outputs to the host, and makes the GPU busy again if that took long.
    void read_kept(std::size_t launch);
    void enqueue_unit(std::size_t launch) const;
    // Why the blocker is off; none: it is on.
    [[nodiscard]] std::optional<std::string> blocker_off() const;
    [[nodiscard]] double sample_us(std::size_t launch) const;
    void finish_reply(BlockReply& reply, double seconds) const;

    Stage& stage_;
    std::size_t index_;
    const Block& block_;
    TimedContestant& contestant_;
    bool gave_up_ = false;
    std::vector<KeptOutput> kept_;
    double reading_s_ = 0.0;  // of the block's time, spent on what is kept
};

}  // namespace warpwright::timing
