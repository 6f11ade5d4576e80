// The part of NVML that the harness reads, loaded at run time. Declared here and not taken from nvml.h, so that
// building needs no CUDA. Source: NVML API reference, versions 12 and 13.
#pragma once

namespace warpwright::nvml {

using Result = int;
using Device = struct OpaqueDevice*;

inline constexpr Result success = 0;

// nvmlTemperatureSensors_t and nvmlClockType_t.
inline constexpr int sensor_gpu = 0;
inline constexpr int clock_sm = 1;

// X(member, exported name, parameters). All return a Result; none changes a setting.
#define WARPWRIGHT_NVML_FUNCTIONS(X)                                                                            \
    X(init, "nvmlInit_v2", ())                                                                                  \
    X(shutdown, "nvmlShutdown", ())                                                                             \
    X(by_uuid, "nvmlDeviceGetHandleByUUID", (const char* uuid, Device* device))                                 \
    X(by_pci, "nvmlDeviceGetHandleByPciBusId_v2", (const char* pci_bus_id, Device* device))                     \
    X(event_reasons, "nvmlDeviceGetCurrentClocksEventReasons", (Device device, unsigned long long* bits))       \
    X(throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", (Device device, unsigned long long* bits)) \
    X(temperature, "nvmlDeviceGetTemperature", (Device device, int sensor, unsigned* celsius))                  \
    X(power, "nvmlDeviceGetPowerUsage", (Device device, unsigned* milliwatts))                                  \
    X(clock, "nvmlDeviceGetClockInfo", (Device device, int type, unsigned* megahertz))

// Null members are absent in the library.
struct Api {
    const char* (*error_string)(Result code) = nullptr;
#define WARPWRIGHT_NVML_MEMBER(member, name, parameters) Result(*member) parameters = nullptr;
    WARPWRIGHT_NVML_FUNCTIONS(WARPWRIGHT_NVML_MEMBER)
#undef WARPWRIGHT_NVML_MEMBER
};

}  // namespace warpwright::nvml
