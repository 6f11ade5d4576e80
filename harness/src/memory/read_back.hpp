// Device memory on its way to the host.
#pragma once

#include <cstddef>

#include "driver/api.hpp"
#include "memory/staging.hpp"
#include "protocol/exchange.hpp"
#include "protocol/host_bytes.hpp"
#include "protocol/replies.hpp"
#include "protocol/requests.hpp"

namespace warpwright::memory {

// Copies device memory to new host memory and waits for it. Throws DriverError.
[[nodiscard]] HostBytes read_back(const driver::Api& api, driver::Stream stream, driver::DevicePointer from,
                                  std::size_t bytes);

// Copies arrays for a reply. exchange: where large ones are put; null where there is no such folder.
class ReplyArrays {
public:
    ReplyArrays(const driver::Api& api, driver::Stream stream, const Staging& staging, Exchange* exchange)
        : api_(api), stream_(stream), staging_(staging), exchange_(exchange) {}

    // Waits for it. Throws DriverError, std::system_error.
    [[nodiscard]] NamedArray read(const ArraySpec& array, driver::DevicePointer from) const;

private:
    [[nodiscard]] bool write_to(OutgoingFile& file, const ArraySpec& array, driver::DevicePointer from) const;

    const driver::Api& api_;
    driver::Stream stream_;
    const Staging& staging_;
    Exchange* exchange_;
};

}  // namespace warpwright::memory
