#include "driver/device_info.hpp"

#include "driver/error.hpp"

namespace warpwright::driver {
namespace {

struct NamedAttribute {
    int number;
    const char* name;
};

// Source: CUDA Driver API, CUdevice_attribute.
constexpr NamedAttribute named_attributes[] = {
    {1, "MAX_THREADS_PER_BLOCK"},
    {2, "MAX_BLOCK_DIM_X"},
    {3, "MAX_BLOCK_DIM_Y"},
    {4, "MAX_BLOCK_DIM_Z"},
    {5, "MAX_GRID_DIM_X"},
    {6, "MAX_GRID_DIM_Y"},
    {7, "MAX_GRID_DIM_Z"},
    {8, "MAX_SHARED_MEMORY_PER_BLOCK"},
    {9, "TOTAL_CONSTANT_MEMORY"},
    {10, "WARP_SIZE"},
    {12, "MAX_REGISTERS_PER_BLOCK"},
    {13, "CLOCK_RATE"},
    {16, "MULTIPROCESSOR_COUNT"},
    {17, "KERNEL_EXEC_TIMEOUT"},
    {18, "INTEGRATED"},
    {20, "COMPUTE_MODE"},
    {32, "ECC_ENABLED"},
    {35, "TCC_DRIVER"},
    {36, "MEMORY_CLOCK_RATE"},
    {37, "GLOBAL_MEMORY_BUS_WIDTH"},
    {38, "L2_CACHE_SIZE"},
    {39, "MAX_THREADS_PER_MULTIPROCESSOR"},
    {75, "COMPUTE_CAPABILITY_MAJOR"},
    {76, "COMPUTE_CAPABILITY_MINOR"},
    {81, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"},
    {82, "MAX_REGISTERS_PER_MULTIPROCESSOR"},
    {95, "COOPERATIVE_LAUNCH"},
    {97, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"},
    {102, "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"},
    {106, "MAX_BLOCKS_PER_MULTIPROCESSOR"},
    {108, "MAX_PERSISTING_L2_CACHE_SIZE"},
    {111, "RESERVED_SHARED_MEMORY_PER_BLOCK"},
    {120, "CLUSTER_LAUNCH"},
};

// As nvidia-smi and NVML print it.
std::string uuid_text(const Uuid& uuid) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            text += '-';
        }
        text += digits[uuid.bytes[i] >> 4];
        text += digits[uuid.bytes[i] & 15];
    }
    return text;
}

Device device_of(const Api& api, int index) {
    Device device = 0;
    WARPWRIGHT_CALL(api, device_get, &device, index);
    return device;
}

}  // namespace

int attribute(const Api& api, Device device, int number) {
    int value = 0;
    WARPWRIGHT_CALL(api, device_attribute, &value, number, device);
    return value;
}

int device_count(const Api& api) {
    int count = 0;
    WARPWRIGHT_CALL(api, device_count, &count);
    return count;
}

DeviceInfo describe(const Api& api, int index) {
    const Device device = device_of(api, index);
    DeviceInfo info;
    info.index = index;
    char text[256] = {};
    WARPWRIGHT_CALL(api, device_name, text, static_cast<int>(sizeof(text)), device);
    info.name = text;
    Uuid uuid{};
    WARPWRIGHT_CALL(api, device_uuid, &uuid, device);
    info.uuid = uuid_text(uuid);
    char bus[64] = {};
    WARPWRIGHT_CALL(api, device_pci, bus, static_cast<int>(sizeof(bus)), device);
    info.pci_bus_id = bus;
    WARPWRIGHT_CALL(api, device_memory, &info.total_memory_bytes, device);
    for (const NamedAttribute& each : named_attributes) {
        int value = 0;
        const Result code = api.device_attribute(&value, each.number, device);
        if (code != invalid_value) {  // the answer of a driver that is older than the attribute
            check(api, code, "cuDeviceGetAttribute");
        }
        info.attributes[each.name] = code == success ? std::optional<int>(value) : std::nullopt;
    }
    info.compute_capability = {attribute(api, device, compute_capability_major),
                               attribute(api, device, compute_capability_minor)};
    return info;
}

}  // namespace warpwright::driver
