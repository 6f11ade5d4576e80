// NVML as far as the harness reads it: the same library plays both, so that clocks and throttle reasons fit together.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "exports.hpp"
#include "nvml/api.hpp"
#include "world.hpp"

#define STANDIN_NVML_DECLARE(member, name) \
    STANDIN_EXPORT std::remove_pointer_t<decltype(warpwright::nvml::Api::member)> name

STANDIN_NVML_DECLARE(error_string, nvmlErrorString);
STANDIN_NVML_DECLARE(init, nvmlInit_v2);
STANDIN_NVML_DECLARE(shutdown, nvmlShutdown);
STANDIN_NVML_DECLARE(by_uuid, nvmlDeviceGetHandleByUUID);
STANDIN_NVML_DECLARE(by_pci, nvmlDeviceGetHandleByPciBusId_v2);
STANDIN_NVML_DECLARE(event_reasons, nvmlDeviceGetCurrentClocksEventReasons);
STANDIN_NVML_DECLARE(throttle_reasons, nvmlDeviceGetCurrentClocksThrottleReasons);
STANDIN_NVML_DECLARE(temperature, nvmlDeviceGetTemperature);
STANDIN_NVML_DECLARE(power, nvmlDeviceGetPowerUsage);
STANDIN_NVML_DECLARE(clock, nvmlDeviceGetClockInfo);

namespace {

using namespace warpwright;
using standin::World;

// nvmlReturn_t.
constexpr int nvml_success = 0;
constexpr int nvml_not_supported = 3;
constexpr int nvml_not_found = 6;

int supported(const char* function) {
    const auto& names = World::get().settings().nvml.unsupported;
    return std::find(names.begin(), names.end(), function) == names.end() ? nvml_success : nvml_not_supported;
}

int find(const char* function, bool known, nvml::Device* device) {
    if (const int code = supported(function); code != nvml_success) {
        return code;
    }
    *device = reinterpret_cast<nvml::Device>(&World::get());  // nobody looks inside
    return known ? nvml_success : nvml_not_found;
}

int reasons(const char* function, unsigned long long* bits) {
    const standin::Settings& settings = World::get().settings();
    *bits = World::get().is_throttled() ? settings.throttle->reasons : settings.nvml.reasons;
    return supported(function);
}

}  // namespace

STANDIN_EXPORT const char* nvmlErrorString(int code) {
    switch (code) {
        case nvml_success:
            return "Success";
        case nvml_not_supported:
            return "Not Supported";
        case nvml_not_found:
            return "Not Found";
        default:
            return "Unknown Error";
    }
}

STANDIN_EXPORT int nvmlInit_v2() {
    World::get().log.write({{"op", "nvml_init"}});
    return World::get().settings().nvml.init;
}

STANDIN_EXPORT int nvmlShutdown() { return nvml_success; }

STANDIN_EXPORT int nvmlDeviceGetHandleByUUID(const char* uuid, nvml::Device* device) {
    return find("nvmlDeviceGetHandleByUUID", std::strncmp(uuid, "GPU-a0a1a2a3-", 13) == 0, device);
}

STANDIN_EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, nvml::Device* device) {
    return find("nvmlDeviceGetHandleByPciBusId_v2", std::strncmp(bus, "0000:", 5) == 0, device);
}

STANDIN_EXPORT int nvmlDeviceGetCurrentClocksEventReasons(nvml::Device, unsigned long long* bits) {
    return reasons("nvmlDeviceGetCurrentClocksEventReasons", bits);
}

STANDIN_EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(nvml::Device, unsigned long long* bits) {
    return reasons("nvmlDeviceGetCurrentClocksThrottleReasons", bits);
}

STANDIN_EXPORT int nvmlDeviceGetTemperature(nvml::Device, int, unsigned* celsius) {
    *celsius = World::get().settings().nvml.temperature_c;
    return supported("nvmlDeviceGetTemperature");
}

STANDIN_EXPORT int nvmlDeviceGetPowerUsage(nvml::Device, unsigned* milliwatts) {
    *milliwatts = World::get().settings().nvml.power_mw;
    return supported("nvmlDeviceGetPowerUsage");
}

STANDIN_EXPORT int nvmlDeviceGetClockInfo(nvml::Device, int, unsigned* megahertz) {
    *megahertz = static_cast<unsigned>(World::get().clock_mhz());
    return supported("nvmlDeviceGetClockInfo");
}
