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
    if (checking_entries() != 0) {
        seal_.emplace(machine);
    }
    for (std::size_t array = 0; array < arrays.size(); ++array) {
        std::vector<Entry> pool;
        for (std::size_t index = 0; index < arrays[array].pool.size(); ++index) {
            pool.push_back(upload(array, index));
        }
        pools_.push_back(std::move(pool));
    }
}

// The comparison, with what has just been read, launches its kernel for the first time and takes the sum away.
ResidentInputs::Entry ResidentInputs::upload(std::size_t array, std::size_t index) const {
    const std::size_t bytes = specs_[array].pool[index].size();
    Entry entry{memory::DeviceBuffer(machine_.api, bytes), 0};
    InputValue value;
    value.pool_index = index;
    source_.fill(machine_.context.stream(), specs_[array], value, entry.memory.address());
    if (is_pooled(array)) {
        seal_->begin();
        seal_->add(array, entry.memory.address(), bytes);
        entry.sum = seal_->read();
        seal_->check(entry.sum);
    }
    return entry;
}

void ResidentInputs::fill(const Values& values, const ArraySets& sets, std::size_t set) const {
    std::vector<std::size_t> copied;
    std::uint64_t expected = 0;
    for (std::size_t array = 0; array < specs_.size(); ++array) {
        const ArraySpec& spec = specs_[array];
        const auto value = values.find(spec.name);
        if (value == values.end()) {
            continue;
        }
        const driver::DevicePointer to = sets.address(set, array);
        if (spec.recipe) {
            source_.fill(machine_.context.stream(), spec, value->second, to);
        } else if (is_pooled(array)) {
            const Entry& entry = pools_[array][value->second.pool_index];
            WARPWRIGHT_CALL(machine_.api, copy_on_device, to, entry.memory.address(), spec.bytes(),
                            machine_.context.stream());
            expected += entry.sum;
            copied.push_back(array);
        }
    }
    if (copied.empty()) {
        return;
    }
    seal_->begin();
    for (const std::size_t array : copied) {
        seal_->add(array, sets.address(set, array), specs_[array].bytes());
    }
    seal_->check(expected);
}

bool ResidentInputs::is_pooled(std::size_t array) const {
    const ArraySpec& spec = specs_[array];
    return spec.is_input() && !spec.recipe && !spec.pool.empty() && spec.bytes() != 0;
}

std::size_t ResidentInputs::checking_entries() const {
    std::size_t arrays = 0;
    for (std::size_t array = 0; array < specs_.size(); ++array) {
        arrays += is_pooled(array) ? 1U : 0U;
    }
    return seal_entries(arrays);
}

}  // namespace warpwright::timing
