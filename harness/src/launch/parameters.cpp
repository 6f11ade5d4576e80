#include "launch/parameters.hpp"

#include <algorithm>
#include <cstring>

#include "protocol/faults.hpp"

namespace warpwright::launch {

namespace {

constexpr std::size_t largest_scalar_bytes = 4096;

const ScalarSpec* find_scalar(const std::vector<ScalarSpec>& scalars, const std::string& name) {
    const auto found =
        std::find_if(scalars.begin(), scalars.end(), [&name](const ScalarSpec& scalar) { return scalar.name == name; });
    return found == scalars.end() ? nullptr : &*found;
}

void check_size(const ScalarSpec& scalar) {
    if (scalar.bytes.empty() || scalar.bytes.size() > largest_scalar_bytes) {
        throw RequestError("scalar " + scalar.name + " has " + std::to_string(scalar.bytes.size()) + " bytes; 1 to " +
                           std::to_string(largest_scalar_bytes) + " are allowed");
    }
}

}  // namespace

Parameters::Parameters(const std::vector<std::string>& args, const Addresses& arrays,
                       const std::vector<ScalarSpec>& scalars) {
    for (const std::string& name : args) {
        const auto array = arrays.find(name);
        if (array != arrays.end()) {
            append(&array->second, sizeof array->second);
            continue;
        }
        const ScalarSpec* scalar = find_scalar(scalars, name);
        if (scalar == nullptr) {
            throw RequestError("argument " + name + " is neither an array nor a scalar of this request");
        }
        check_size(*scalar);
        append(scalar->bytes.data(), scalar->bytes.size());
    }
}

void Parameters::append(const void* bytes, std::size_t count) {
    storage_.emplace_back((count + sizeof(Unit) - 1) / sizeof(Unit), Unit{});
    std::memcpy(storage_.back().data(), bytes, count);
    pointers_.push_back(storage_.back().data());
}

}  // namespace warpwright::launch
