// Where the values of inputs come from: a recipe that the GPU carries out, or a pool of host values.
#pragma once

#include "driver/api.hpp"
#include "driver/module.hpp"
#include "protocol/requests.hpp"

namespace warpwright::memory {

// Of this input in this launch. Throws RequestError if the request names none, an index outside its pool, or a pool
// value of another size than the array's.
[[nodiscard]] const InputValue& value_of(const ArraySpec& array, const Values& values);

class InputSource {
public:
    // own: the module `warpwright`; may be null if no array has a recipe.
    InputSource(const driver::Api& api, const driver::LoadedModule* own);

    // Queues the making of one input at that address. Host values must live until the stream has passed.
    // Throws RequestError, DriverError.
    void fill(driver::Stream stream, const ArraySpec& array, const InputValue& value, driver::DevicePointer to) const;

private:
    void generate(driver::Stream stream, const ArraySpec& array, const Key& key, driver::DevicePointer to) const;

    const driver::Api* api_;
    const driver::LoadedModule* own_;
};

}  // namespace warpwright::memory
