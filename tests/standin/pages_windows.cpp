#ifdef _WIN32

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include "pages.hpp"

namespace warpwright::standin {

bool has_absent_pages() { return false; }
void* reserve_range(std::size_t, std::size_t) { return nullptr; }
void release_range(void*, std::size_t) {}
bool put_pages(void*, std::size_t) { return false; }
bool allow_access(void*, std::size_t) { return false; }
void remove_pages(void*, std::size_t) {}

void* allocate_plain(std::size_t bytes) {
    return VirtualAlloc(nullptr, bytes, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
}

void free_plain(void* address, std::size_t) { VirtualFree(address, 0, MEM_RELEASE); }

void install_fault_handler() {}

bool survives(const std::function<void()>& code) {
    code();
    return true;
}

std::string library_path() {
    HMODULE module = nullptr;
    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                       reinterpret_cast<LPCSTR>(&library_path), &module);
    char path[MAX_PATH] = {};
    GetModuleFileNameA(module, path, MAX_PATH);
    return path;
}

}  // namespace warpwright::standin

#endif
