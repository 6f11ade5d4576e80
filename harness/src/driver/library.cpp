#include "driver/library.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "driver/shared_object.hpp"

namespace warpwright::driver {
namespace {

// A driver may lack these: without them arrays have no unmapped pages around them.
constexpr std::array optional_functions{"cuMemAddressReserve", "cuMemAddressFree", "cuMemGetAllocationGranularity",
                                        "cuMemCreate",         "cuMemRelease",     "cuMemMap",
                                        "cuMemUnmap",          "cuMemSetAccess"};

bool is_optional(const char* name) {
    for (const char* each : optional_functions) {
        if (std::strcmp(each, name) == 0) {
            return true;
        }
    }
    return false;
}

std::string version_text(const Api& api) {
    int version = 0;
    if (api.driver_version == nullptr || api.driver_version(&version) != 0) {
        return "unknown";
    }
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

}  // namespace

Library::Library(const std::string& path) {
    std::string reason;
    void* const handle = open_shared_object(path, reason);
    if (handle == nullptr) {
        throw DriverUnavailable("no NVIDIA driver: " + path + " cannot be loaded: " + reason +
                                ". Install the NVIDIA driver, or name its library with --driver PATH.");
    }
    std::vector<std::string> missing;
#define WARPWRIGHT_FIND(member, name, parameters)                                      \
    {                                                                                  \
        void* const found = find_symbol(handle, name);                                 \
        static_assert(sizeof(found) == sizeof(api_.member), "object = code pointers"); \
        std::memcpy(&api_.member, &found, sizeof(found));                              \
        if (found == nullptr && !is_optional(name)) {                                  \
            missing.emplace_back(name);                                                \
        }                                                                              \
    }
    WARPWRIGHT_DRIVER_FUNCTIONS(WARPWRIGHT_FIND)
#undef WARPWRIGHT_FIND
    if (!missing.empty()) {
        const std::string message = "the driver " + path + " serves CUDA " + version_text(api_) + " and lacks " +
                                    joined(missing) + "; CUDA 11.8 or newer is needed. Update the NVIDIA driver.";
        close_shared_object(handle);
        throw DriverUnavailable(message);
    }
}

std::string Library::default_path() {
#ifdef _WIN32
    return "nvcuda.dll";
#else
    return "libcuda.so.1";
#endif
}

}  // namespace warpwright::driver
