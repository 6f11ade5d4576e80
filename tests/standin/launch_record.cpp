#include "launch_record.hpp"

#include <algorithm>
#include <functional>

#include "world.hpp"

namespace warpwright::standin {

namespace {

using nlohmann::ordered_json;

std::string hex(const unsigned char* data, std::size_t bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i) {
        text += digits[data[i] >> 4];
        text += digits[data[i] & 15];
    }
    return text;
}

// FNV-1a, 64 bits.
std::uint64_t hash(const Operand& operand) {
    std::uint64_t value = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < operand.bytes; ++i) {
        value = (value ^ operand.data[i]) * 0x100000001b3u;
    }
    return value;
}

// The byte that fills the array; null: there are several.
ordered_json fill_of(const Operand& operand) {
    unsigned char* const end = operand.data + operand.bytes;
    const bool uniform = std::adjacent_find(operand.data, end, std::not_equal_to<>()) == end;
    return uniform && operand.bytes > 0 ? ordered_json(operand.data[0]) : ordered_json();
}

bool readable(const Operand& operand) {
    return World::get().memory.holds(reinterpret_cast<std::uintptr_t>(operand.data), operand.bytes);
}

ordered_json address_of(const Operand& operand) {
    return {{"address", reinterpret_cast<std::uintptr_t>(operand.data)}, {"bytes", operand.bytes}};
}

}  // namespace

LaunchRecord::LaunchRecord(const driver::OpaqueFunction& function, const Call& call, std::uint64_t launch,
                           const driver::OpaqueStream& stream)
    : stream_(stream) {
    if (!World::get().log.is_open()) {
        return;
    }
    line_ = {{"op", "launch"},
             {"kernel", function.name},
             {"launch", launch},
             {"grid", call.grid},
             {"block", call.block},
             {"shared_bytes", call.shared_bytes},
             {"start_ns", stream.nanoseconds()}};
    for (const auto& argument : call.arguments) {
        line_["arguments"].push_back(hex(argument.data(), argument.size()));
    }
    const bool is_own = function.name.rfind("ww_", 0) == 0;
    const Operands operands = function.code == nullptr ? Operands{} : function.code->operands(call);
    for (const Operand& input : operands.inputs) {
        line_["inputs"].push_back(address_of(input));
        line_["inputs"].back()["hash"] = readable(input) ? ordered_json(hash(input)) : ordered_json();
    }
    for (const Operand& output : operands.outputs) {
        line_["outputs"].push_back(address_of(output));
        line_["outputs"].back()["before"] = !is_own && readable(output) ? fill_of(output) : ordered_json();
    }
}

void LaunchRecord::write(Result code) {
    if (!line_.is_null()) {
        line_["end_ns"] = stream_.nanoseconds();
        line_["code"] = code;
        World::get().log.write(line_);
    }
}

}  // namespace warpwright::standin
