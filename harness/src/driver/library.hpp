// The driver's shared library, loaded at run time, and its functions as a table.
#pragma once

#include <stdexcept>
#include <string>

#include "driver/api.hpp"

namespace warpwright::driver {

// The driver cannot be used at all: no library, or one that is too old. The harness exits with 71.
struct DriverUnavailable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The loaded library and its table, which is valid for the rest of the process: a driver has threads of its own, so it
// is never unloaded.
class Library {
public:
    // path: file name or path of the library. Throws DriverUnavailable: what was loaded, why it failed, what to do.
    explicit Library(const std::string& path);
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    [[nodiscard]] const Api& api() const { return api_; }

    // The system's driver: `libcuda.so.1`, `nvcuda.dll`.
    [[nodiscard]] static std::string default_path();

private:
    Api api_;
};

}  // namespace warpwright::driver
