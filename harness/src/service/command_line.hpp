// The words after the program's name.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace warpwright {

enum class Command { serve, run_once, properties, version, help };

struct CommandLine {
    Command command = Command::help;
    std::string job;       // of run-once
    std::string driver;    // the driver's library
    std::string exchange;  // folder for large attachments; empty: none
};

// Bad usage: one line that says what was wrong and what is allowed. The process exits with 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws UsageError.
[[nodiscard]] CommandLine parse_command_line(const std::vector<std::string>& words);

extern const char* const usage;

}  // namespace warpwright
