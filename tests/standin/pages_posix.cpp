#ifndef _WIN32

#include <csetjmp>
#include <csignal>
#include <cstdint>

#include <dlfcn.h>
#include <sys/mman.h>

#include "pages.hpp"

namespace warpwright::standin {

namespace {

constexpr int plain_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

thread_local sigjmp_buf jump;
thread_local volatile sig_atomic_t guarded = 0;
struct sigaction previous_segv;
struct sigaction previous_bus;

// A fault outside a kernel is a bug of the harness or of this library: the handler that was there before deals with it.
void on_fault(int number, siginfo_t*, void*) {
    if (guarded != 0) {
        siglongjmp(jump, 1);
    }
    sigaction(number, number == SIGSEGV ? &previous_segv : &previous_bus, nullptr);
}

}  // namespace

bool has_absent_pages() { return true; }

void* reserve_range(std::size_t bytes, std::size_t alignment) {
    void* raw = mmap(nullptr, bytes + alignment, PROT_NONE, plain_flags, -1, 0);
    if (raw == MAP_FAILED) {
        return nullptr;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(raw);
    const std::uintptr_t aligned = (address + alignment - 1) / alignment * alignment;
    if (aligned > address) {
        munmap(raw, aligned - address);
    }
    if (const std::size_t rest = address + alignment - aligned; rest > 0) {
        munmap(reinterpret_cast<void*>(aligned + bytes), rest);
    }
    return reinterpret_cast<void*>(aligned);
}

void release_range(void* address, std::size_t bytes) { munmap(address, bytes); }

bool put_pages(void* address, std::size_t bytes) {
    return mmap(address, bytes, PROT_NONE, plain_flags | MAP_FIXED, -1, 0) == address;
}

bool allow_access(void* address, std::size_t bytes) { return mprotect(address, bytes, PROT_READ | PROT_WRITE) == 0; }

void remove_pages(void* address, std::size_t bytes) {
    // The range stays reserved: nothing else may land in it.
    static_cast<void>(mmap(address, bytes, PROT_NONE, plain_flags | MAP_FIXED, -1, 0));
}

void* allocate_plain(std::size_t bytes) {
    void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, plain_flags, -1, 0);
    return address == MAP_FAILED ? nullptr : address;
}

void free_plain(void* address, std::size_t bytes) { munmap(address, bytes); }

void install_fault_handler() {
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_segv);
    sigaction(SIGBUS, &action, &previous_bus);
}

bool survives(const std::function<void()>& code) {
    if (sigsetjmp(jump, 0) != 0) {
        guarded = 0;
        return false;
    }
    guarded = 1;
    code();
    guarded = 0;
    return true;
}

std::string library_path() {
    Dl_info info{};
    return dladdr(reinterpret_cast<const void*>(&install_fault_handler), &info) != 0 ? info.dli_fname : "";
}

}  // namespace warpwright::standin

#endif
