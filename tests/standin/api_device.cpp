// Initialisation, devices, the context, names of errors.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "exports.hpp"
#include "limits.hpp"
#include "pages.hpp"
#include "world.hpp"

namespace {

using namespace warpwright;
using standin::Settings;
using standin::World;

bool exists(driver::Device device) { return device >= 0 && device < World::get().settings().devices; }

// CUdevice_attribute by number.
std::map<int, int> attributes_of(const Settings& s) {
    std::map<int, int> values{
        {1, 1024},
        {2, 1024},
        {3, 1024},
        {4, 64},
        {5, 2147483647},
        {6, 65535},
        {7, 65535},  // block and grid
        {8, static_cast<int>(standin::shared_bytes_per_block)},
        {9, 65536},  // constant memory
        {10, 32},    // warp
        {12, static_cast<int>(standin::registers_per_block)},
        {13, static_cast<int>(s.clock_mhz * 1e3)},
        {16, s.multiprocessors},
        {17, 0},  // no display watchdog
        {18, 0},  // not integrated
        {19, 1},  // can map host memory
        {20, 0},  // default compute mode
        {32, 1},  // ECC
        {33, 1},
        {34, 0},
        {50, 0},        // PCI bus, device, domain
        {35, 0},        // no TCC
        {36, 2619000},  // memory clock in kHz
        {37, 5120},     // bus width in bits
        {38, s.l2_bytes},
        {39, static_cast<int>(standin::threads_per_multiprocessor)},
        {41, 1},  // unified addressing
        {75, s.compute_capability[0]},
        {76, s.compute_capability[1]},
        {81, static_cast<int>(standin::shared_bytes_per_multiprocessor)},
        {82, 65536},
        {95, 1},  // cooperative launch
        {97, static_cast<int>(standin::shared_bytes_optin)},
        {102, s.virtual_memory && standin::has_absent_pages() ? 1 : 0},
        {106, static_cast<int>(standin::blocks_per_multiprocessor)},
        {108, s.l2_bytes / 8 * 5},  // persisting L2
        {111, static_cast<int>(standin::shared_bytes_reserved)},
        {120, 1},  // cluster launch
    };
    for (const auto& [number, value] : s.attributes) {
        values[number] = value;
    }
    return values;
}

int write_text(char* target, int length, const std::string& text) {
    if (target == nullptr || length <= static_cast<int>(text.size())) {
        return standin::invalid_value;
    }
    std::memcpy(target, text.c_str(), text.size() + 1);
    return standin::success;
}

}  // namespace

STANDIN_EXPORT int cuInit(unsigned flags) {
    World::get().initialise();
    STANDIN_ENTER("cuInit");
    return flags == 0 ? standin::success : standin::invalid_value;
}

STANDIN_EXPORT int cuDriverGetVersion(int* version) {
    *version = World::get().settings().driver_version;
    return standin::success;
}

STANDIN_EXPORT int cuGetErrorName(int code, const char** name) {
    const standin::Code* row = standin::find_code(code);
    *name = row == nullptr ? nullptr : row->name;
    return row == nullptr ? standin::invalid_value : standin::success;
}

STANDIN_EXPORT int cuGetErrorString(int code, const char** text) {
    const standin::Code* row = standin::find_code(code);
    *text = row == nullptr ? nullptr : row->text;
    return row == nullptr ? standin::invalid_value : standin::success;
}

STANDIN_EXPORT int cuDeviceGetCount(int* count) {
    STANDIN_ENTER("cuDeviceGetCount");
    *count = World::get().settings().devices;
    return standin::success;
}

STANDIN_EXPORT int cuDeviceGet(driver::Device* device, int ordinal) {
    STANDIN_ENTER("cuDeviceGet");
    *device = ordinal;
    return exists(ordinal) ? standin::success : standin::invalid_device;
}

STANDIN_EXPORT int cuDeviceGetName(char* name, int length, driver::Device device) {
    STANDIN_ENTER("cuDeviceGetName");
    if (!exists(device)) {
        return standin::invalid_device;
    }
    const Settings& s = World::get().settings();
    const auto index = static_cast<std::size_t>(device);
    return write_text(name, length, index < s.names.size() ? s.names[index] : s.name);
}

STANDIN_EXPORT int cuDeviceGetUuid_v2(driver::Uuid* uuid, driver::Device device) {
    STANDIN_ENTER("cuDeviceGetUuid_v2");
    if (!exists(device)) {
        return standin::invalid_device;
    }
    for (unsigned char i = 0; i < 16; ++i) {
        uuid->bytes[i] = static_cast<unsigned char>(0xA0 + i);
    }
    uuid->bytes[15] = static_cast<unsigned char>(device);
    return standin::success;
}

STANDIN_EXPORT int cuDeviceGetPCIBusId(char* text, int length, driver::Device device) {
    STANDIN_ENTER("cuDeviceGetPCIBusId");
    if (!exists(device)) {
        return standin::invalid_device;
    }
    char bus[32] = {};
    std::snprintf(bus, sizeof bus, "0000:%02X:00.0", static_cast<unsigned>(device + 1) & 0xFFu);
    return write_text(text, length, bus);
}

STANDIN_EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, driver::Device device) {
    STANDIN_ENTER("cuDeviceTotalMem_v2");
    *bytes = static_cast<std::size_t>(World::get().memory.total_bytes());
    return exists(device) ? standin::success : standin::invalid_device;
}

STANDIN_EXPORT int cuDeviceGetAttribute(int* value, int attribute, driver::Device device) {
    STANDIN_ENTER("cuDeviceGetAttribute");
    if (!exists(device)) {
        return standin::invalid_device;
    }
    const std::map<int, int> values = attributes_of(World::get().settings());
    const auto found = values.find(attribute);
    if (found == values.end()) {
        return standin::invalid_value;
    }
    *value = found->second;
    return standin::success;
}

STANDIN_EXPORT int cuDevicePrimaryCtxRetain(driver::Context* context, driver::Device device) {
    STANDIN_ENTER("cuDevicePrimaryCtxRetain");
    if (!exists(device)) {
        return standin::invalid_device;
    }
    if (World::get().sticky() != standin::success) {
        return World::get().sticky();
    }
    ++World::get().contexts;
    World::get().device = device;
    *context = reinterpret_cast<driver::Context>(&World::get());  // there is one, and nobody looks inside
    return standin::success;
}

STANDIN_EXPORT int cuDevicePrimaryCtxRelease_v2(driver::Device device) {
    STANDIN_ENTER("cuDevicePrimaryCtxRelease_v2");
    World& world = World::get();
    if (!exists(device) || world.contexts == 0) {
        return standin::invalid_device;
    }
    --world.contexts;
    world.log.write({{"op", "release"}, {"alive", world.memory.alive()}});
    return standin::success;
}

STANDIN_EXPORT int cuCtxSetCurrent(driver::Context) {
    STANDIN_ENTER("cuCtxSetCurrent");
    return standin::success;
}

STANDIN_EXPORT int cuCtxSetLimit(int limit, std::size_t value) {
    STANDIN_ENTER("cuCtxSetLimit");
    World::get().log.write({{"op", "limit"}, {"limit", limit}, {"value", value}});
    return standin::success;
}

STANDIN_EXPORT int cuCtxSynchronize() {
    STANDIN_ENTER("cuCtxSynchronize");
    for (const auto& stream : World::get().streams.all()) {
        stream->wait_until_idle();
    }
    return World::get().sticky();
}

STANDIN_EXPORT int cuCtxResetPersistingL2Cache() {
    STANDIN_ENTER("cuCtxResetPersistingL2Cache");
    World::get().log.write({{"op", "reset_persisting"}});
    return standin::success;
}
