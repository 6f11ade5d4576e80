#include "protocol/fields.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "protocol/faults.hpp"

namespace warpwright {
namespace {

using nlohmann::json;

constexpr std::uint64_t largest_dim = std::numeric_limits<unsigned>::max();

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

bool is_count(const json& value, std::uint64_t least, std::uint64_t most) {
    if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<std::int64_t>() >= 0)) {
        return false;
    }
    return value.get<std::uint64_t>() >= least && value.get<std::uint64_t>() <= most;
}

std::string shown(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

Dim3 to_dim3(const json& value, const std::string& place) {
    bool right = value.is_array() && value.size() == 3;
    for (std::size_t i = 0; right && i < 3; ++i) {
        right = is_count(value[i], 0, largest_dim);
    }
    if (!right) {
        refuse(place, value, "[x, y, z] of integers from 0 to " + std::to_string(largest_dim));
    }
    return {value[0].get<unsigned>(), value[1].get<unsigned>(), value[2].get<unsigned>()};
}

}  // namespace

void refuse(const std::string& place, const json& value, const std::string& allowed) {
    std::string found = value.dump(-1, ' ', false, json::error_handler_t::replace);
    if (found.size() > 80) {
        found = found.substr(0, 80) + "...";
    }
    throw RequestError(place + " is " + found + "; allowed: " + allowed);
}

Fields::Fields(const json& value, std::string where) : value_(value), where_(std::move(where)) {
    if (!value.is_object()) {
        refuse(where_, value, "an object");
    }
}

const json& Fields::any(const char* name) {
    asked_.insert(name);
    const auto found = value_.find(name);
    if (found == value_.end()) {
        throw RequestError(place(name) + " is missing");
    }
    return *found;
}

const json& Fields::array(const char* name) {
    const json& value = any(name);
    if (!value.is_array()) {
        refuse(place(name), value, "an array");
    }
    return value;
}

const json& Fields::object(const char* name) {
    const json& value = any(name);
    if (!value.is_object()) {
        refuse(place(name), value, "an object");
    }
    return value;
}

std::string Fields::text(const char* name) {
    const json& value = any(name);
    if (!value.is_string()) {
        refuse(place(name), value, "a string");
    }
    return value.get<std::string>();
}

bool Fields::boolean(const char* name) {
    const json& value = any(name);
    if (!value.is_boolean()) {
        refuse(place(name), value, "true, false");
    }
    return value.get<bool>();
}

std::uint64_t Fields::count(const char* name, std::uint64_t least, std::uint64_t most) {
    const json& value = any(name);
    if (!is_count(value, least, most)) {
        refuse(place(name), value, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return value.get<std::uint64_t>();
}

double Fields::number(const char* name, double least) {
    const json& value = any(name);
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < least) {
        refuse(place(name), value,
               std::isfinite(least) ? "a number, at least " + shown(least) : std::string("a finite number"));
    }
    return value.get<double>();
}

Dim3 Fields::dim3(const char* name) { return to_dim3(any(name), place(name)); }

std::optional<Dim3> Fields::optional_dim3(const char* name) {
    const json& value = any(name);
    return value.is_null() ? std::nullopt : std::optional<Dim3>(to_dim3(value, place(name)));
}

std::vector<std::string> Fields::texts(const char* name) {
    std::vector<std::string> found;
    for (const json& value : array(name)) {
        if (!value.is_string()) {
            refuse(place(name, found.size()), value, "a string");
        }
        found.push_back(value.get<std::string>());
    }
    return found;
}

std::vector<std::uint64_t> Fields::counts(const char* name) {
    std::vector<std::uint64_t> found;
    for (const json& value : array(name)) {
        if (!is_count(value, 0, std::numeric_limits<std::uint64_t>::max())) {
            refuse(place(name, found.size()), value, "an integer, at least 0");
        }
        found.push_back(value.get<std::uint64_t>());
    }
    return found;
}

std::size_t Fields::word(const char* name, const std::vector<std::string>& words) {
    const json& value = any(name);
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (value.is_string() && value.get<std::string>() == words[i]) {
            return i;
        }
    }
    refuse(place(name), value, joined(words));
}

std::string Fields::place(const char* name, std::size_t index) const {
    return place(name) + "[" + std::to_string(index) + "]";
}

void Fields::finish() const {
    for (const auto& item : value_.items()) {
        if (asked_.count(item.key()) == 0) {
            throw RequestError(where_ + ": unknown field " + item.key() +
                               "; allowed: " + (asked_.empty() ? "none" : joined({asked_.begin(), asked_.end()})));
        }
    }
}

}  // namespace warpwright
