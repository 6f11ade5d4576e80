// What the driver says about a GPU.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/api.hpp"

namespace warpwright::driver {

// CUdevice_attribute numbers that the harness itself asks for. Source: CUDA Driver API.
enum Attribute : int {
    max_threads_per_block = 1,
    shared_per_block = 8,
    warp_size = 10,
    sm_count = 16,
    kernel_exec_timeout = 17,
    l2_cache_bytes = 38,
    compute_capability_major = 75,
    compute_capability_minor = 76,
    shared_per_sm = 81,
    cooperative_launch = 95,
    shared_per_block_optin = 97,
    virtual_memory_management = 102,
    cluster_launch = 120,
};

// Value of an attribute. Throws DriverError.
[[nodiscard]] int attribute(const Api& api, Device device, int number);

struct DeviceInfo {
    int index = 0;
    std::string name;
    std::string uuid;        // GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
    std::string pci_bus_id;  // 0000:65:00.0
    std::array<int, 2> compute_capability{};
    std::size_t total_memory_bytes = 0;
    // The driver's name without CU_DEVICE_ATTRIBUTE_, in its units (clocks in kHz); none: this driver does not know it.
    std::map<std::string, std::optional<int>> attributes;
};

// GPUs of this machine. init must have succeeded.
[[nodiscard]] int device_count(const Api& api);

// Describes GPU `index`; needs no context. Throws DriverError.
[[nodiscard]] DeviceInfo describe(const Api& api, int index);

}  // namespace warpwright::driver
