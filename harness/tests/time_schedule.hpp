// Schedules for the stand-in GPU, and its log, read back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "protocol/replies.hpp"
#include "protocol/requests.hpp"
#include "standin_machine.hpp"

namespace warpwright::tests {

// Elements of every array: 4 KiB, so sets never fill L2.
inline constexpr std::size_t timed_elements = 1024;

// A GPU whose L2 is small, so that flushes are; its log goes to a file of its own. more: further settings, `,"key":
// ..`.
class LoggedMachine {
public:
    LoggedMachine(const std::string& kernel, const std::string& behaviour, const std::string& more = "");
    ~LoggedMachine();
    LoggedMachine(const LoggedMachine&) = delete;
    LoggedMachine& operator=(const LoggedMachine&) = delete;

    [[nodiscard]] TimeReply time(const TimeRequest& request);
    Machine& machine() { return gpu_.machine(); }
    // Lines of the log so far.
    [[nodiscard]] std::vector<nlohmann::json> log() const;
    // The launches of one kernel among them.
    [[nodiscard]] std::vector<nlohmann::json> launches(const std::string& kernel) const;

private:
    std::string path_;
    StandinMachine gpu_;
};

// y = 2 x: blocks of that many launches each, every launch with a key of its own; x by a normal recipe.
[[nodiscard]] TimeRequest scale_schedule(const std::vector<std::size_t>& launches_of_blocks);

// The same with x from a pool of that many entries, by turns.
[[nodiscard]] TimeRequest pooled_schedule(const std::vector<std::size_t>& launches_of_blocks, std::size_t entries);

// What `scale` must give for launch `launch` of block `block` of a scale_schedule.
[[nodiscard]] Bytes expected_scale(const TimeRequest& request, std::size_t block, std::size_t launch);

}  // namespace warpwright::tests
