// Loading a shared library by path: the only place that knows dlopen and LoadLibrary.
#pragma once

#include <string>

namespace warpwright::driver {

// The library's handle, or null; then `reason` says why, in the loader's words.
[[nodiscard]] void* open_shared_object(const std::string& path, std::string& reason);

// The address of an exported symbol, or null.
[[nodiscard]] void* find_symbol(void* handle, const char* name);

void close_shared_object(void* handle);

}  // namespace warpwright::driver
