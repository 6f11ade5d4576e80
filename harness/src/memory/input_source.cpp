#include "memory/input_source.hpp"

#include <cstdint>
#include <string>

#include "driver/error.hpp"
#include "launch/own_kernel.hpp"
#include "protocol/faults.hpp"

namespace warpwright::memory {

namespace {

void check_pool(const ArraySpec& array, std::size_t index) {
    if (index >= array.pool.size()) {
        throw RequestError("values: " + array.name + " asks for number " + std::to_string(index) + " of a pool of " +
                           std::to_string(array.pool.size()));
    }
    if (array.pool[index].size() != array.bytes()) {
        throw RequestError("pool of " + array.name + ", number " + std::to_string(index) + ": " +
                           std::to_string(array.pool[index].size()) + " bytes, the array has " +
                           std::to_string(array.bytes()));
    }
}

}  // namespace

const InputValue& value_of(const ArraySpec& array, const Values& values) {
    const auto found = values.find(array.name);
    if (found == values.end()) {
        throw RequestError("values: none for the input " + array.name);
    }
    if (!array.recipe) {
        check_pool(array, found->second.pool_index);
    }
    return found->second;
}

InputSource::InputSource(const driver::Api& api, const driver::LoadedModule* own) : api_(&api), own_(own) {}

void InputSource::fill(driver::Stream stream, const ArraySpec& array, const InputValue& value,
                       driver::DevicePointer to) const {
    if (array.bytes() == 0) {
        return;
    }
    if (array.recipe) {
        generate(stream, array, value.key, to);
        return;
    }
    check_pool(array, value.pool_index);
    const HostBytes& bytes = array.pool[value.pool_index];
    WARPWRIGHT_CALL(*api_, copy_to_device, to, bytes.data(), bytes.size(), stream);
}

void InputSource::generate(driver::Stream stream, const ArraySpec& array, const Key& key,
                           driver::DevicePointer to) const {
    if (own_ == nullptr) {
        throw RequestError("input " + array.name + " has a recipe, and the module `warpwright` is not loaded");
    }
    if (to % array.item_bytes != 0) {  // the generator would fault, and the blame would be the candidate's
        throw RequestError("input " + array.name + " has a recipe and elements of " + std::to_string(array.item_bytes) +
                           " bytes; align_bytes must be that at least, and is " + std::to_string(array.align_bytes));
    }
    const Recipe& recipe = *array.recipe;
    const std::uint64_t count = array.count;
    launch::launch_own(*api_, own_->function("ww_generate"), launch::Shape{launch::stride_blocks(count)}, stream, to,
                       count, static_cast<std::uint32_t>(recipe.element), static_cast<std::uint32_t>(recipe.kind),
                       key.low, key.high, recipe.first, recipe.second, recipe.first_integer, recipe.count);
}

}  // namespace warpwright::memory
