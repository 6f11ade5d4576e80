#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "pages.hpp"

namespace warpwright::standin {

namespace {

using nlohmann::json;
using Reader = std::function<void(const json&)>;
using Readers = std::map<std::string, Reader>;

[[noreturn]] void refuse(const std::string& message) {
    std::fprintf(stderr, "stand-in driver: %s\n", message.c_str());
    std::_Exit(99);
}

void read(const json& object, const std::string& where, const Readers& readers) {
    if (!object.is_object()) {
        refuse(where + " is no JSON object");
    }
    for (const auto& [key, value] : object.items()) {
        const auto reader = readers.find(key);
        if (reader == readers.end()) {
            refuse(where + " has no setting `" + key + "`");
        }
        try {
            reader->second(value);
        } catch (const json::exception& error) {
            refuse(where + "." + key + ": " + error.what());
        }
    }
}

template <class T>
Reader into(T& target) {
    return [&target](const json& value) { target = value.get<T>(); };
}

template <class T>
Reader into(std::optional<T>& target) {
    return [&target](const json& value) { target = value.get<T>(); };
}

Result code_of(const json& value) {
    if (value.is_number()) {
        return value.get<Result>();
    }
    const auto code = code_by_name(value.get<std::string>());
    if (!code) {
        refuse("unknown result code " + value.dump());
    }
    return *code;
}

Reader code_into(std::optional<Result>& target) {
    return [&target](const json& value) { target = code_of(value); };
}

FailingCall read_failing_call(const json& object) {
    FailingCall rule;
    read(object, "fail",
         {{"call", into(rule.call)},
          {"code", [&rule](const json& value) { rule.code = code_of(value); }},
          {"at", into(rule.at)},
          {"count", into(rule.count)}});
    return rule;
}

Throttle read_throttle(const json& object) {
    Throttle throttle;
    read(object, "throttle",
         {{"from_launch", into(throttle.from_launch)},
          {"until_launch", into(throttle.until_launch)},
          {"clock_ratio", into(throttle.clock_ratio)},
          {"reasons", into(throttle.reasons)}});
    return throttle;
}

void read_nvml(const json& object, Nvml& nvml) {
    read(object, "nvml",
         {{"init", into(nvml.init)},
          {"temperature_c", into(nvml.temperature_c)},
          {"power_mw", into(nvml.power_mw)},
          {"reasons", into(nvml.reasons)},
          {"unsupported", into(nvml.unsupported)}});
}

void read_false_time(const json& object, FalseTime& lie) {
    read(object, "false_time", {{"from", into(lie.from)}, {"us", into(lie.us)}});
}

// The settings that are objects or lists of objects.
Readers nested(Settings& s) {
    return {
        {"attributes",
         [&s](const json& value) {
             for (const auto& [number, attribute] : value.items()) {
                 s.attributes[std::atoi(number.c_str())] = attribute.get<int>();
             }
         }},
        {"kernels",
         [&s](const json& value) {
             for (const auto& [name, behaviour] : value.items()) {
                 s.kernels[name] = read_behaviour(behaviour, "kernels." + name);
             }
         }},
        {"fail",
         [&s](const json& value) {
             for (const json& rule : value) {
                 s.fail.push_back(read_failing_call(rule));
             }
         }},
        {"throttle", [&s](const json& value) { s.throttle = read_throttle(value); }},
        {"nvml", [&s](const json& value) { read_nvml(value, s.nvml); }},
        {"false_time", [&s](const json& value) { read_false_time(value, s.false_time); }},
    };
}

std::string text_of_settings() {
    if (const char* text = std::getenv("WARPWRIGHT_STANDIN"); text != nullptr) {
        return text;
    }
    std::ifstream file(library_path() + ".json", std::ios::binary);
    std::ostringstream text;
    if (file) {
        text << file.rdbuf();
    }
    return text.str();
}

}  // namespace

Behaviour read_behaviour(const json& object, const std::string& where) {
    Behaviour b;
    read(object, where,
         {{"computes", into(b.computes)},
          {"duration_us", into(b.duration_us)},
          {"noise", into(b.noise)},
          {"drift", into(b.drift)},
          {"real_ms", into(b.real_ms)},
          {"fault", code_into(b.fault)},
          {"refuse", code_into(b.refuse)},
          {"hang", into(b.hang)},
          {"device", into(b.device)},
          {"at", into(b.at)},
          {"right_until", into(b.right_until)},
          {"counter", into(b.counter)},
          {"overrun", into(b.overrun)},
          {"underrun", into(b.underrun)},
          {"reads_beyond", into(b.reads_beyond)},
          {"tamper", into(b.tamper)},
          {"partial", into(b.partial)},
          {"accumulates", into(b.accumulates)},
          {"replay", into(b.replay)},
          {"registers", into(b.registers)},
          {"shared_bytes", into(b.shared_bytes)},
          {"max_threads", into(b.max_threads)}});
    return b;
}

Settings read_settings() {
    Settings s;
    const std::string text = text_of_settings();
    if (text.empty()) {
        return s;
    }
    const json object = json::parse(text, nullptr, false);
    if (object.is_discarded()) {
        refuse("settings are no JSON: " + text);
    }
    Readers readers = nested(s);
    readers.insert({
        {"name", into(s.name)},
        {"names", into(s.names)},
        {"devices", into(s.devices)},
        {"driver_version", into(s.driver_version)},
        {"compute_capability", [&s](const json& value) { value.get_to(s.compute_capability); }},
        {"multiprocessors", into(s.multiprocessors)},
        {"l2_bytes", into(s.l2_bytes)},
        {"memory_bytes", into(s.memory_bytes)},
        {"clock_mhz", into(s.clock_mhz)},
        {"virtual_memory", into(s.virtual_memory)},
        {"granule_bytes", into(s.granule_bytes)},
        {"overhead_us", into(s.overhead_us)},
        {"noise", into(s.noise)},
        {"seed", into(s.seed)},
        {"event_resolution_us", into(s.event_resolution_us)},
        {"log", into(s.log)},
        {"log_calls", into(s.log_calls)},
    });
    read(object, "settings", readers);
    return s;
}

}  // namespace warpwright::standin
