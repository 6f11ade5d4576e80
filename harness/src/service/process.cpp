#include "service/process.hpp"

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <stdlib.h>
#include <windows.h>
#else
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#endif

#include <cstdlib>
#include <fstream>
#include <string_view>

namespace warpwright {
namespace {

#ifdef _WIN32

char** environment() { return _environ; }

void set_if_absent(const char* name, const char* value) {
    if (std::getenv(name) == nullptr) {
        _putenv_s(name, value);
    }
}

#else

extern "C" char** environ;

char** environment() { return environ; }

void set_if_absent(const char* name, const char* value) { setenv(name, value, 0); }

// prctl(PR_SET_PDEATHSIG) would also fire when the thread that started this process ends, while its process lives on.
void end_with(pid_t parent) {
    while (getppid() == parent) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    std::_Exit(0);
}

#endif

// Variables that tools set in the processes that they start; the entries that end in `_` are beginnings of names.
constexpr std::string_view tool_variables[] = {
    "CUDA_INJECTION64_PATH",  // Nsight Compute, Nsight Systems and everything else on CUPTI's injection
    "NV_COMPUTE_PROFILER_",  "NV_NSIGHT_INJECTION_", "NV_SANITIZER_", "NV_TPS_LAUNCH_", "CUDBG_",
};

bool starts_with(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

// NAME of an entry NAME=value, if its name says that a tool is there.
std::optional<std::string> tool_variable(std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    for (const std::string_view each : tool_variables) {
        if (each.back() == '_' ? starts_with(name, each) : name == each) {
            return std::string(name);
        }
    }
    return std::nullopt;
}

// Process id of a tracing debugger; 0: none, or unknown.
int tracer() {
    std::ifstream status("/proc/self/status");
    const std::string label = "TracerPid:";
    for (std::string line; std::getline(status, line);) {
        if (starts_with(line, label)) {
            return std::stoi(line.substr(label.size()));
        }
    }
    return 0;
}

}  // namespace

#ifdef _WIN32

// The parent puts this process into a job object, which ends it.
void prepare_process() { SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX); }

#else

void prepare_process() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    std::thread(end_with, getppid()).detach();
}

#endif

void prepare_driver() { set_if_absent("CUDA_MODULE_LOADING", "EAGER"); }

std::optional<std::string> launch_serialiser() {
    for (char** entry = environment(); entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (const std::optional<std::string> name = tool_variable(text)) {
            return "a profiler or sanitizer runs this process (" + *name + " is set)";
        }
        if (starts_with(text, "CUDA_LAUNCH_BLOCKING=") && text != "CUDA_LAUNCH_BLOCKING=0") {
            return "CUDA_LAUNCH_BLOCKING is set";
        }
    }
    if (const int pid = tracer(); pid != 0) {
        return "a debugger traces this process (process " + std::to_string(pid) + ")";
    }
    return std::nullopt;
}

}  // namespace warpwright
