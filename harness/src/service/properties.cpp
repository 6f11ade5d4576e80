#include "service/properties.hpp"

#include "driver/device_info.hpp"
#include "driver/error.hpp"
#include "protocol/write.hpp"
#include "service/build.hpp"
#include "service/service.hpp"

namespace warpwright {

std::string properties(const driver::Api& api) {
    WARPWRIGHT_CALL(api, init, 0U);
    int driver_version = 0;
    WARPWRIGHT_CALL(api, driver_version, &driver_version);
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    const int count = driver::device_count(api);
    for (int index = 0; index < count; ++index) {
        const driver::DeviceInfo info = find_gpu(api, index);
        const HelloReply gpu = describe_gpu(api, info, *monitor_of(info));
        nlohmann::ordered_json device = {{"index", index}};
        device.update(to_json(gpu.device));
        device["capabilities"] = to_json(gpu.capabilities);
        devices.push_back(std::move(device));
    }
    const nlohmann::ordered_json document = {{"harness", harness_version},
                                             {"build", build_hash},
                                             {"driver_version", driver_version},
                                             {"devices", std::move(devices)}};
    return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace warpwright
