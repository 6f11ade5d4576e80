#include "run/compare.hpp"

#include <array>
#include <cstdint>
#include <limits>

#include "driver/error.hpp"
#include "launch/own_kernel.hpp"
#include "memory/device_buffer.hpp"
#include "memory/read_back.hpp"

namespace warpwright {
namespace {

bool is_compared(const ArraySpec& array) { return array.role == Role::in && array.bytes() != 0; }

// What `ww_differ` counts into: differing bytes, least offset of one.
using Count = std::array<std::uint64_t, 2>;

class DeviceComparison {
public:
    DeviceComparison(const Machine& machine, std::size_t largest_bytes)
        : api_(machine.api),
          stream_(machine.context.stream()),
          function_(machine.module(own_module).function("ww_differ")),
          fresh_(machine.api, largest_bytes),
          result_(machine.api, sizeof(Count)) {}

    [[nodiscard]] driver::DevicePointer fresh() const { return fresh_.address(); }

    // Of that memory and the fresh buffer.
    [[nodiscard]] Difference compare(driver::DevicePointer address, std::size_t bytes) const {
        Count count{0, (std::numeric_limits<std::uint64_t>::max)()};
        WARPWRIGHT_CALL(api_, copy_to_device, result_.address(), count.data(), sizeof count, stream_);
        const std::uint64_t size = bytes;
        launch::launch_own(api_, function_, launch::Shape{launch::stride_blocks(size)}, stream_, address,
                           fresh_.address(), size, result_.address());
        WARPWRIGHT_CALL(api_, copy_to_host, count.data(), result_.address(), sizeof count, stream_);
        WARPWRIGHT_CALL(api_, context_synchronize, );
        return {static_cast<std::size_t>(count[0]), static_cast<std::size_t>(count[1])};
    }

private:
    const driver::Api& api_;
    driver::Stream stream_;
    driver::Function function_;
    memory::DeviceBuffer fresh_;
    memory::DeviceBuffer result_;
};

}  // namespace

Difference differ(const HostBytes& a, const HostBytes& b) {
    Difference difference;
    if (a == b) {
        return difference;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i]) {
            difference.first_byte = difference.bytes == 0 ? i : difference.first_byte;
            difference.bytes += 1;
        }
    }
    return difference;
}

std::vector<ModifiedInput> find_modified(const Machine& machine, const RunRequest& request, const RunArrays& arrays,
                                         const memory::InputSource& inputs) {
    std::vector<ModifiedInput> modified;
    const std::size_t largest = largest_input_bytes(request.arrays);
    if (largest == 0) {
        return modified;
    }
    const DeviceComparison comparison(machine, largest);
    for (std::size_t i = 0; i < request.arrays.size(); ++i) {
        const ArraySpec& array = request.arrays[i];
        if (!is_compared(array)) {
            continue;
        }
        inputs.fill(machine.context.stream(), array, memory::value_of(array, request.values), comparison.fresh());
        const Difference difference = comparison.compare(arrays.address(i), array.bytes());
        if (difference.bytes != 0) {
            modified.push_back({array.name, difference.bytes, difference.first_byte});
        }
    }
    return modified;
}

HostSnapshot::HostSnapshot(const Machine& machine, const RunRequest& request, const RunArrays& arrays)
    : machine_(machine), request_(request), arrays_(arrays) {
    for (std::size_t i = 0; i < request.arrays.size(); ++i) {
        const std::size_t bytes = is_compared(request.arrays[i]) ? request.arrays[i].bytes() : 0;
        copies_.push_back(memory::read_back(machine.api, machine.context.stream(), arrays.address(i), bytes));
    }
}

std::vector<ModifiedInput> HostSnapshot::find_modified() const {
    std::vector<ModifiedInput> modified;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
        const HostBytes now =
            memory::read_back(machine_.api, machine_.context.stream(), arrays_.address(i), copies_[i].size());
        const Difference difference = differ(copies_[i], now);
        if (difference.bytes != 0) {
            modified.push_back({request_.arrays[i].name, difference.bytes, difference.first_byte});
        }
    }
    return modified;
}

}  // namespace warpwright
