// Requests from JSON, strictly: a field that is unknown or missing, or of the wrong type, is a RequestError that names
// it. Each function gets the body of a request (without id, op and npy_bytes) and its attachments, which it consumes.
#pragma once

#include <vector>

#include "nlohmann/json.hpp"
#include "protocol/requests.hpp"

namespace warpwright {

[[nodiscard]] HelloRequest parse_hello(const nlohmann::json& body);
[[nodiscard]] LoadRequest parse_load(const nlohmann::json& body, std::vector<HostBytes> attachments);
[[nodiscard]] std::string parse_unload(const nlohmann::json& body);
[[nodiscard]] RunRequest parse_run(const nlohmann::json& body, std::vector<HostBytes> attachments);
[[nodiscard]] TimeRequest parse_time(const nlohmann::json& body, std::vector<HostBytes> attachments);

// For operations without fields. op: their name.
void parse_nothing(const nlohmann::json& body, const std::string& op);

}  // namespace warpwright
