#include "log.hpp"

namespace warpwright::standin {

Log::~Log() { open(""); }

void Log::open(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (file_ != nullptr) {
        std::fclose(file_);
        file_ = nullptr;
    }
    if (!path.empty()) {
        file_ = std::fopen(path.c_str(), "ab");
    }
}

void Log::write(const nlohmann::ordered_json& event) {
    const std::string line = event.dump() + "\n";
    const std::lock_guard lock(mutex_);
    if (file_ != nullptr) {
        std::fwrite(line.data(), 1, line.size(), file_);
        std::fflush(file_);  // a process that is killed leaves what happened before
    }
}

}  // namespace warpwright::standin
