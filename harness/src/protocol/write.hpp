// Replies as JSON, fields in the order of docs/harness.md, and the attachments that go with them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/error.hpp"
#include "nlohmann/json.hpp"
#include "protocol/channel.hpp"
#include "protocol/faults.hpp"
#include "protocol/replies.hpp"

namespace warpwright {

// A reply without its id.
struct Reply {
    nlohmann::ordered_json body = nlohmann::ordered_json::object();
    std::vector<Attachment> attachments;
};

[[nodiscard]] nlohmann::ordered_json to_json(const driver::DeviceInfo& device);
// Capability -> true, or why it is missing.
[[nodiscard]] nlohmann::ordered_json to_json(const std::map<std::string, std::optional<std::string>>& capabilities);
[[nodiscard]] Reply to_reply(const HelloReply& hello);
[[nodiscard]] Reply to_reply(const OpenReply& open);
[[nodiscard]] Reply to_reply(const LoadReply& load);
[[nodiscard]] Reply to_reply(RunReply run);
[[nodiscard]] Reply to_reply(TimeReply time);

[[nodiscard]] Reply to_reply(const CandidateFault& fault);
[[nodiscard]] Reply to_reply(const RequestError& error);
[[nodiscard]] Reply to_reply(const MemoryShortage& error);
[[nodiscard]] Reply to_reply(const driver::DriverError& error);

}  // namespace warpwright
