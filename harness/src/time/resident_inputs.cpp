#include "time/resident_inputs.hpp"

#include <utility>

#include "driver/error.hpp"

namespace warpwright::timing {

std::size_t pool_bytes(const std::vector<ArraySpec>& arrays) {
    std::size_t total = 0;
    for (const ArraySpec& array : arrays) {
        for (const HostBytes& values : array.pool) {
            total = memory::saturating_add(total, values.size());
        }
    }
    return total;
}

ResidentInputs::ResidentInputs(const Machine& machine, const std::vector<ArraySpec>& arrays)
    : machine_(machine), specs_(arrays), source_(machine.api, &machine.module(own_module)) {
    for (const ArraySpec& array : arrays) {
        std::vector<memory::DeviceBuffer> pool;
        for (std::size_t index = 0; index < array.pool.size(); ++index) {
            pool.emplace_back(machine.api, array.pool[index].size());
            InputValue value;
            value.pool_index = index;
            source_.fill(machine.context.stream(), array, value, pool.back().address());
        }
        pools_.push_back(std::move(pool));
    }
}

void ResidentInputs::fill(std::size_t array, const InputValue& value, driver::DevicePointer to) const {
    const ArraySpec& spec = specs_[array];
    const driver::Stream stream = machine_.context.stream();
    if (spec.recipe) {
        source_.fill(stream, spec, value, to);
    } else if (spec.bytes() != 0) {
        const driver::DevicePointer from = pools_[array][value.pool_index].address();
        WARPWRIGHT_CALL(machine_.api, copy_on_device, to, from, spec.bytes(), stream);
    }
}

}  // namespace warpwright::timing
