// Arrays, recipes and values of requests, from JSON.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "protocol/requests.hpp"

namespace warpwright {

// `arrays`; takes the payloads out of the attachments, each of which exactly one pool must use. Throws RequestError.
[[nodiscard]] std::vector<ArraySpec> parse_arrays(const nlohmann::json& value, const std::string& where,
                                                  std::vector<HostBytes>& attachments);

// `values` of one launch: exactly one for every input. Throws RequestError.
[[nodiscard]] Values parse_values(const nlohmann::json& value, const std::string& where,
                                  const std::vector<ArraySpec>& arrays);

// Bytes of an even number of hexadecimal digits. Throws RequestError.
[[nodiscard]] Bytes parse_hex(const std::string& text, const std::string& where);

}  // namespace warpwright
