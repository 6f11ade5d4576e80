#include "service/capabilities.hpp"

namespace warpwright {
namespace {

// Why an attribute that must not be 0 is missing.
std::optional<std::string> missing(const driver::DeviceInfo& device, const char* attribute) {
    const auto found = device.attributes.find(attribute);
    if (found == device.attributes.end() || !found->second) {
        return std::string("the driver does not know the attribute ") + attribute;
    }
    return *found->second != 0 ? std::nullopt
                               : std::optional<std::string>(std::string("the GPU reports ") + attribute + " 0");
}

std::optional<std::string> missing_virtual_memory(const driver::Api& api, const driver::DeviceInfo& device) {
    const bool exported = api.address_reserve != nullptr && api.address_free != nullptr &&
                          api.allocation_granularity != nullptr && api.allocation_create != nullptr &&
                          api.allocation_release != nullptr && api.allocation_map != nullptr &&
                          api.allocation_unmap != nullptr && api.allocation_set_access != nullptr;
    if (!exported) {
        return "the driver lacks cuMemMap and its like";
    }
    return missing(device, "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED");
}

}  // namespace

std::map<std::string, std::optional<std::string>> capabilities(const driver::Api& api, const driver::DeviceInfo& device,
                                                               const nvml::Monitor& monitor) {
    return {{"virtual_memory", missing_virtual_memory(api, device)},
            {"cooperative", missing(device, "COOPERATIVE_LAUNCH")},
            {"cluster", missing(device, "CLUSTER_LAUNCH")},
            {"nvml", monitor.unavailable()}};
}

}  // namespace warpwright
