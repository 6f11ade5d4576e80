// Strict reading of JSON: every field of an object is asked for by name and type, and none may be left over.
// All errors are RequestErrors that name the field and what was found in it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "protocol/requests.hpp"

namespace warpwright {

// One object of a request. where: its place, as in messages (`run.arrays[2]`).
class Fields {
public:
    // Throws if the value is no object.
    Fields(const nlohmann::json& value, std::string where);

    [[nodiscard]] std::string text(const char* name);
    [[nodiscard]] bool boolean(const char* name);
    // An integer within both limits.
    [[nodiscard]] std::uint64_t count(const char* name, std::uint64_t least, std::uint64_t most);
    [[nodiscard]] double number(const char* name, double least);
    [[nodiscard]] Dim3 dim3(const char* name);
    [[nodiscard]] std::optional<Dim3> optional_dim3(const char* name);
    [[nodiscard]] std::vector<std::string> texts(const char* name);
    [[nodiscard]] std::vector<std::uint64_t> counts(const char* name);
    // One of the words; its index.
    [[nodiscard]] std::size_t word(const char* name, const std::vector<std::string>& words);

    // The value itself, to be read by other means.
    [[nodiscard]] const nlohmann::json& any(const char* name);
    [[nodiscard]] const nlohmann::json& array(const char* name);
    [[nodiscard]] const nlohmann::json& object(const char* name);

    // The place of a field, or of the i-th element of one.
    [[nodiscard]] std::string place(const char* name) const { return where_ + "." + name; }
    [[nodiscard]] std::string place(const char* name, std::size_t index) const;
    [[nodiscard]] const std::string& where() const { return where_; }

    // Throws if a field is left that nobody asked for.
    void finish() const;

private:
    const nlohmann::json& value_;
    std::string where_;
    std::set<std::string> asked_;
};

// Throws RequestError: "PLACE is VALUE; allowed: ALLOWED".
[[noreturn]] void refuse(const std::string& place, const nlohmann::json& value, const std::string& allowed);

}  // namespace warpwright
