// The operating system: address ranges whose pages can be absent, code that may touch an absent page, and where this
// library lies.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace warpwright::standin {

// True where absent pages can be made; false: virtual memory management is reported as unsupported.
[[nodiscard]] bool has_absent_pages();

// An address range without pages, aligned; null: none.
[[nodiscard]] void* reserve_range(std::size_t bytes, std::size_t alignment);
void release_range(void* address, std::size_t bytes);

// Fresh zeroed pages, which must be made accessible first; back to no pages.
[[nodiscard]] bool put_pages(void* address, std::size_t bytes);
[[nodiscard]] bool allow_access(void* address, std::size_t bytes);
void remove_pages(void* address, std::size_t bytes);

// Memory for plain allocations, 512-byte aligned.
[[nodiscard]] void* allocate_plain(std::size_t bytes);
void free_plain(void* address, std::size_t bytes);

// Installs the handler that makes `survives` work. Once per process.
void install_fault_handler();

// Runs code; false if it touched an address without pages. Its locals are not destroyed then.
[[nodiscard]] bool survives(const std::function<void()>& code);

// The path of this library.
[[nodiscard]] std::string library_path();

}  // namespace warpwright::standin
