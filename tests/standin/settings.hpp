// What the stand-in pretends to be and how its kernels misbehave. README.md lists every key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "codes.hpp"

namespace warpwright::standin {

inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

// How one kernel behaves. Launches are counted per kernel name from 0.
struct Behaviour {
    std::string computes;               // kernel of the registry; empty: the one of its own name
    std::optional<double> duration_us;  // none: the kernel's own model
    std::optional<double> noise;        // deviation of a duration, as a share of it; none: Settings::noise
    double drift = 0.0;                 // every launch is slower than the one before by this share of the first
    double real_ms = 0.0;               // time that a launch really takes
    std::optional<Result> fault;        // sticky error instead of an answer
    std::optional<Result> refuse;       // what the launch call returns
    bool hang = false;                  // the launch never ends
    int device = -1;                    // the only GPU on which it behaves so; -1: all
    std::uint64_t at = 0;               // first launch with fault, refuse or hang
    std::uint64_t right_until = never;  // first launch whose answer is wrong
    std::string counter;                // device variable that counts launches for right_until; empty: counted outside
    std::int64_t overrun = 0;           // elements written behind the first output
    std::int64_t underrun = 0;          // elements written before it
    std::int64_t reads_beyond = 0;      // its first element also depends on the element so far behind the first input
    std::int64_t tamper = 0;            // elements of the first input that are changed
    double partial = 1.0;               // share of every output that is written
    bool accumulates = false;           // outputs depend on what was there before
    bool replay = false;                // the first answer again and again
    unsigned registers = 0;             // text images only; 0: what the image says
    unsigned shared_bytes = 0;
    unsigned max_threads = 0;
};

// A driver function that fails: calls at .. at + count - 1, counted from 0.
struct FailingCall {
    std::string call;
    Result code = 0;
    std::uint64_t at = 0;
    std::uint64_t count = 1;
};

// A lower clock from one launch of a candidate (any kernel that is not `ww_...`) to another.
struct Throttle {
    std::uint64_t from_launch = never;
    std::uint64_t until_launch = never;
    double clock_ratio = 1.0;
    std::uint64_t reasons = 0;  // bits as in nvmlDeviceGetCurrentClocksEventReasons
};

struct Nvml {
    int init = 0;  // what nvmlInit_v2 returns
    unsigned temperature_c = 45;
    unsigned power_mw = 350000;
    std::uint64_t reasons = 0;             // while nothing throttles
    std::vector<std::string> unsupported;  // functions that answer "not supported"
};

// Event times that are no times: elapsed times from the call `from` on (counted from 0) are `us`.
struct FalseTime {
    std::uint64_t from = never;
    double us = 0.0;
};

struct Settings {
    std::string name = "NVIDIA Stand-in GPU";
    std::vector<std::string> names;  // of the first GPUs; the others have `name`
    int devices = 1;
    int driver_version = 13000;
    int compute_capability[2] = {9, 0};
    int multiprocessors = 132;
    int l2_bytes = 50 << 20;
    std::uint64_t memory_bytes = std::uint64_t{8} << 30;
    double clock_mhz = 1755.0;
    bool virtual_memory = true;
    std::size_t granule_bytes = std::size_t{2} << 20;  // of virtual memory management; a multiple of the page size
    std::map<int, int> attributes;                     // device attributes by number; they win over all above
    double overhead_us = 2.0;                          // of every launch
    double noise = 0.005;
    std::uint64_t seed = 1;
    double event_resolution_us = 0.0;
    std::string log;                           // file that gets one JSON line per event; empty: none
    bool log_calls = false;                    // also one per driver call
    std::map<std::string, Behaviour> kernels;  // by name; "*": every kernel that has no own entry and is not `ww_...`
    std::vector<FailingCall> fail;
    std::optional<Throttle> throttle;
    Nvml nvml;
    FalseTime false_time;
};

// From the environment variable WARPWRIGHT_STANDIN (JSON), else from the file LIBRARY.json beside the library, else the
// defaults. Anything that is no setting ends the process with a message: a test must not pass by a misspelt key.
[[nodiscard]] Settings read_settings();

// Reads the keys of an object. where: for messages.
[[nodiscard]] Behaviour read_behaviour(const nlohmann::json& object, const std::string& where);

}  // namespace warpwright::standin
