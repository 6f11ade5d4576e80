// What replies say, as plain structs; the fields are those of docs/harness.md, in the same words.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/device_info.hpp"
#include "driver/module.hpp"
#include "protocol/exchange.hpp"
#include "protocol/requests.hpp"

namespace warpwright {

// An array on its way back; becomes one .npy attachment. file: of the exchange folder, instead of bytes; null: none.
struct NamedArray {
    std::string name;
    std::string descr;
    std::vector<std::size_t> shape;
    HostBytes bytes;
    std::shared_ptr<OutgoingFile> file = nullptr;
};

struct HelloReply {
    std::string nonce;
    int driver_version = 0;
    driver::DeviceInfo device;
    // capability -> why it is missing; none: it is there.
    std::map<std::string, std::optional<std::string>> capabilities;
};

struct OpenReply {
    std::size_t free_memory_bytes = 0;
    double seconds = 0.0;
};

struct LoadReply {
    std::map<std::string, driver::KernelAttributes> kernels;
};

// An input that is not as it was.
struct ModifiedInput {
    std::string name;
    std::size_t bytes = 0;
    std::size_t first_byte = 0;
};

// Guard bytes that changed. offset_bytes: distance of the nearest changed byte from the array's edge.
struct GuardViolation {
    std::string name;
    std::string side;  // "before" or "after"
    std::size_t bytes = 0;
    std::size_t offset_bytes = 0;
};

struct RunReply {
    double seconds = 0.0;
    std::optional<double> device_us;
    std::vector<NamedArray> outputs;
    std::vector<ModifiedInput> modified;
    std::vector<GuardViolation> guards;
    std::optional<std::string> no_pages;  // why there were no unmapped pages; none: there were
};

struct BlockReply {
    std::vector<double> samples_us;
    std::optional<double> sm_mhz;
    std::optional<std::vector<std::string>> throttle;
    std::optional<double> temperature_c;
    std::optional<double> power_w;
    std::string blocker;  // "on" or "off: reason"
};

// block, launch: indices in the request.
struct KeptOutput {
    std::size_t block = 0;
    std::size_t launch = 0;
    NamedArray output;
};

struct TimeReply {
    std::vector<BlockReply> blocks;
    std::vector<KeptOutput> kept;
    std::size_t sets = 0;
    std::size_t flush_bytes = 0;
    std::vector<GuardViolation> guards;
    bool truncated = false;
    std::size_t free_memory_bytes = 0;
    std::map<std::string, std::string> unavailable;
};

}  // namespace warpwright
