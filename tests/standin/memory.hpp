// Device memory: host memory whose device address is its host address, counted against the size of the GPU's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "codes.hpp"

namespace warpwright::standin {

class Memory {
public:
    // granule: of virtual memory management.
    void reset(std::uint64_t total_bytes, std::size_t granule);
    [[nodiscard]] std::size_t granule() const;
    [[nodiscard]] std::uint64_t total_bytes() const;
    [[nodiscard]] std::uint64_t free_bytes() const;
    // Plain allocations, handles, reserved ranges and host allocations that are alive.
    [[nodiscard]] std::size_t alive() const;

    Result allocate(std::uint64_t& address, std::size_t bytes);
    Result free(std::uint64_t address);

    // Page-locked host memory, which the GPU sees at the same address.
    Result allocate_host(void*& address, std::size_t bytes);
    Result free_host(void* address);
    [[nodiscard]] bool is_host(const void* address) const;

    Result reserve(std::uint64_t& address, std::size_t bytes, std::size_t alignment);
    Result free_range(std::uint64_t address, std::size_t bytes);
    Result create(std::uint64_t& handle, std::size_t bytes);
    Result release(std::uint64_t handle);
    Result map(std::uint64_t address, std::size_t bytes, std::uint64_t handle);
    Result unmap(std::uint64_t address, std::size_t bytes);
    Result set_access(std::uint64_t address, std::size_t bytes);

    // Plain allocations that are alive: address -> bytes.
    [[nodiscard]] std::map<std::uint64_t, std::size_t> allocations() const;
    // Whether the whole range lies in one allocation that is alive and accessible.
    [[nodiscard]] bool holds(std::uint64_t address, std::size_t bytes) const;

private:
    struct Physical {
        std::size_t bytes = 0;
        bool released = false;
        bool mapped = false;
    };
    struct Mapping {
        std::size_t bytes = 0;
        std::uint64_t handle = 0;
        bool accessible = false;
    };

    void drop(std::uint64_t handle);

    mutable std::mutex mutex_;
    std::uint64_t total_ = 0;
    std::size_t granule_ = std::size_t{2} << 20;
    std::uint64_t used_ = 0;
    std::uint64_t next_handle_ = 1;
    std::map<std::uint64_t, std::size_t> plain_;
    std::map<std::uint64_t, std::size_t> host_;
    std::map<std::uint64_t, std::size_t> ranges_;
    std::map<std::uint64_t, Physical> physical_;
    std::map<std::uint64_t, Mapping> mappings_;
};

}  // namespace warpwright::standin
