#include "service/machine.hpp"

#include "protocol/faults.hpp"

namespace warpwright {

driver::LoadedModule& Machine::module(const std::string& name) const {
    const auto found = modules.find(name);
    if (found != modules.end()) {
        return found->second;
    }
    std::string loaded;
    for (const auto& [each, _] : modules) {
        loaded += (loaded.empty() ? "" : ", ") + each;
    }
    throw RequestError("module " + name + " is not loaded; loaded: " + (loaded.empty() ? "none" : loaded));
}

}  // namespace warpwright
