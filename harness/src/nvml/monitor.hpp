// What NVML says about one GPU: throttle reasons, temperature, power, clock. Read only; no setting is ever changed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nvml/api.hpp"

namespace warpwright::nvml {

// None is unknown. sm_clock_mhz: at the moment of reading.
struct Reading {
    std::optional<std::vector<std::string>> throttle;
    std::optional<double> temperature_c;
    std::optional<double> power_w;
    std::optional<double> sm_clock_mhz;
    // `throttle`, `temperature_c` ... -> why it is unknown.
    std::map<std::string, std::string> unavailable;
};

// Owns the loaded library and its initialisation. Never throws for what is missing: that is a reason.
class Monitor {
public:
    // Finds the GPU by the driver's uuid (`GPU-...`), else by its PCI address. library: file name or path.
    Monitor(const std::string& library, const std::string& uuid, const std::string& pci_bus_id);
    ~Monitor();
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    // Why nothing can be read; none: something can.
    [[nodiscard]] const std::optional<std::string>& unavailable() const { return unavailable_; }
    [[nodiscard]] Reading read() const;

    // The library in the environment variable WARPWRIGHT_NVML (tests name a stand-in), else the system's:
    // `libnvidia-ml.so.1`, `nvml.dll`.
    [[nodiscard]] static std::string default_library();

private:
    void load(const std::string& library);
    void find(const std::string& uuid, const std::string& pci_bus_id);
    [[nodiscard]] std::string text_of(Result code) const;
    void read_throttle(Reading& reading) const;

    void* handle_ = nullptr;
    Api api_;
    bool initialised_ = false;
    Device device_ = nullptr;
    std::optional<std::string> unavailable_;
};

}  // namespace warpwright::nvml
