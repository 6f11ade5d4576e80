// A folder for the files of one test.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "protocol/channel.hpp"

namespace warpwright::tests {

// Removed at the end, with all that is in it.
class ScratchFolder {
public:
    ScratchFolder()
        : path_(std::filesystem::temp_directory_path() / ("warpwright-harness-test-" + std::to_string(serial++))) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] std::string path() const { return path_.string(); }
    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }
    [[nodiscard]] bool is_empty() const { return std::filesystem::is_empty(path_); }

    [[nodiscard]] std::string text(const char* name) const {
        std::ostringstream all;
        all << std::ifstream(file(name), std::ios::binary).rdbuf();
        return all.str();
    }

    void write(const char* name, const std::string& text) const { std::ofstream(file(name), std::ios::binary) << text; }

    // Reads that input and writes to the file "out".
    [[nodiscard]] Channel channel(const std::string& input, const Exchange* exchange = nullptr) const {
        write("in", input);
        return {open_to_read(file("in")), open_to_write(file("out")), exchange};
    }

private:
    static inline int serial = 0;
    std::filesystem::path path_;
};

}  // namespace warpwright::tests
