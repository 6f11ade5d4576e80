#include "driver/shared_object.hpp"

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace warpwright::driver {

#ifdef _WIN32

void* open_shared_object(const std::string& path, std::string& reason) {
    const HMODULE module = LoadLibraryA(path.c_str());
    if (module == nullptr) {
        const DWORD code = GetLastError();
        reason = "Windows error " + std::to_string(code) + (code == ERROR_MOD_NOT_FOUND ? " (file not found)" : "");
    }
    return reinterpret_cast<void*>(module);
}

void* find_symbol(void* handle, const char* name) {
    return reinterpret_cast<void*>(GetProcAddress(reinterpret_cast<HMODULE>(handle), name));
}

void close_shared_object(void* handle) { FreeLibrary(reinterpret_cast<HMODULE>(handle)); }

#else

void* open_shared_object(const std::string& path, std::string& reason) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* text = dlerror();
        reason = text == nullptr ? "dlopen failed without a reason" : text;
    }
    return handle;
}

void* find_symbol(void* handle, const char* name) { return dlsym(handle, name); }

void close_shared_object(void* handle) { dlclose(handle); }

#endif

}  // namespace warpwright::driver
