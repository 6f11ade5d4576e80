// The record of what the driver did, one JSON line per event, in the order in which it happened.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

namespace warpwright::standin {

class Log {
public:
    Log() = default;
    ~Log();
    Log(const Log&) = delete;  // owns a file
    Log& operator=(const Log&) = delete;

    // path: appended to; empty: nothing is recorded.
    void open(const std::string& path);
    [[nodiscard]] bool is_open() const { return file_ != nullptr; }
    void write(const nlohmann::ordered_json& event);

private:
    std::mutex mutex_;
    std::FILE* file_ = nullptr;
};

}  // namespace warpwright::standin
