// A GPU for tests: the stand-in driver, opened as the service opens a real one (tests/standin/README.md).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/context.hpp"
#include "driver/device_info.hpp"
#include "driver/library.hpp"
#include "driver/module.hpp"
#include "protocol/requests.hpp"
#include "service/machine.hpp"

namespace warpwright::tests {

// Whether the stand-in can leave pages unmapped.
#ifdef _WIN32
inline constexpr bool standin_has_pages = false;
#else
inline constexpr bool standin_has_pages = true;
#endif

// settings: JSON for WARPWRIGHT_STANDIN. The module `warpwright` is loaded; kernels: lines of a text image that is
// loaded as module `candidate`, whose kernels are named by `symbols`.
class StandinMachine {
public:
    StandinMachine(const std::string& settings, const std::vector<std::string>& symbols, const std::string& kernels);

    Machine& machine() { return machine_; }
    [[nodiscard]] const driver::Api& api() const { return library_.api(); }

    void load(const std::string& name, const std::vector<std::string>& symbols, const std::string& lines);

private:
    driver::Library library_;
    driver::DeviceInfo info_;
    nvml::Monitor monitor_;
    driver::DeviceContext context_;
    memory::Staging staging_;
    std::map<std::string, driver::LoadedModule> modules_;
    Machine machine_;
};

}  // namespace warpwright::tests
