#include "nvml/monitor.hpp"

#include <cstdlib>
#include <utility>

#include "driver/shared_object.hpp"
#include "nvml/throttle.hpp"

namespace warpwright::nvml {

Monitor::Monitor(const std::string& library, const std::string& uuid, const std::string& pci_bus_id) {
    load(library);
    if (!unavailable_) {
        find(uuid, pci_bus_id);
    }
}

// NVML's answer to the shutdown is of no use: the process does not use it again.
Monitor::~Monitor() {
    if (initialised_ && api_.shutdown != nullptr) {
        static_cast<void>(api_.shutdown());
    }
    if (handle_ != nullptr) {
        driver::close_shared_object(handle_);
    }
}

std::string Monitor::default_library() {
    const char* named = std::getenv("WARPWRIGHT_NVML");
    if (named != nullptr && *named != '\0') {
        return named;
    }
#ifdef _WIN32
    return "nvml.dll";
#else
    return "libnvidia-ml.so.1";
#endif
}

void Monitor::load(const std::string& library) {
    std::string reason;
    handle_ = driver::open_shared_object(library, reason);
    if (handle_ == nullptr) {
        unavailable_ = "NVML cannot be loaded: " + reason;
        return;
    }
    api_.error_string = reinterpret_cast<decltype(api_.error_string)>(driver::find_symbol(handle_, "nvmlErrorString"));
#define WARPWRIGHT_NVML_LOAD(member, name, parameters) \
    api_.member = reinterpret_cast<decltype(api_.member)>(driver::find_symbol(handle_, name));
    WARPWRIGHT_NVML_FUNCTIONS(WARPWRIGHT_NVML_LOAD)
#undef WARPWRIGHT_NVML_LOAD
    if (api_.init == nullptr) {
        unavailable_ = library + " has no nvmlInit_v2";
        return;
    }
    const Result code = api_.init();
    initialised_ = code == success;
    if (!initialised_) {
        unavailable_ = "nvmlInit_v2 failed: " + text_of(code);
    }
}

void Monitor::find(const std::string& uuid, const std::string& pci_bus_id) {
    std::string reason = "NVML has no functions that find a GPU";
    if (api_.by_uuid != nullptr) {
        const Result code = api_.by_uuid(uuid.c_str(), &device_);
        if (code == success) {
            return;
        }
        reason = "NVML does not find GPU " + uuid + ": " + text_of(code);
    }
    if (api_.by_pci != nullptr) {
        const Result code = api_.by_pci(pci_bus_id.c_str(), &device_);
        if (code == success) {
            return;
        }
        reason += "; nor at " + pci_bus_id + ": " + text_of(code);
    }
    device_ = nullptr;
    unavailable_ = reason;
}

std::string Monitor::text_of(Result code) const {
    const char* text = api_.error_string == nullptr ? nullptr : api_.error_string(code);
    return (text == nullptr ? std::string("NVML error") : std::string(text)) + " (" + std::to_string(code) + ")";
}

Reading Monitor::read() const {
    Reading reading;
    if (unavailable_) {
        for (const char* name : {"throttle", "temperature_c", "power_w", "sm_clock_mhz"}) {
            reading.unavailable[name] = *unavailable_;
        }
        return reading;
    }
    read_throttle(reading);
    // The value of one function, or none and the reason.
    const auto value = [&](const char* name, bool present, auto&& call) -> std::optional<double> {
        unsigned number = 0;
        const Result code = present ? call(&number) : success;
        if (present && code == success) {
            return static_cast<double>(number);
        }
        reading.unavailable[name] = present ? text_of(code) : "this NVML has no function for it";
        return std::nullopt;
    };
    reading.temperature_c = value("temperature_c", api_.temperature != nullptr,
                                  [&](unsigned* number) { return api_.temperature(device_, sensor_gpu, number); });
    reading.power_w =
        value("power_w", api_.power != nullptr, [&](unsigned* number) { return api_.power(device_, number); });
    if (reading.power_w) {
        reading.power_w = *reading.power_w / 1000.0;
    }
    reading.sm_clock_mhz = value("sm_clock_mhz", api_.clock != nullptr,
                                 [&](unsigned* number) { return api_.clock(device_, clock_sm, number); });
    return reading;
}

void Monitor::read_throttle(Reading& reading) const {
    const auto function = api_.event_reasons != nullptr ? api_.event_reasons : api_.throttle_reasons;
    if (function == nullptr) {
        reading.unavailable["throttle"] = "this NVML has no function for it";
        return;
    }
    unsigned long long bits = 0;
    const Result code = function(device_, &bits);
    if (code == success) {
        reading.throttle = throttle_names(bits);
    } else {
        reading.unavailable["throttle"] = text_of(code);
    }
}

}  // namespace warpwright::nvml
