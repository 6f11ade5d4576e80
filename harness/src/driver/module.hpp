// A loaded cubin: its kernels by symbol, and its writable variables with the image they had after loading.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "driver/api.hpp"
#include "protocol/requests.hpp"

namespace warpwright::driver {

// CUfunction_attribute. Source: CUDA Driver API.
enum FunctionAttribute : int {
    function_max_threads = 0,
    function_static_shared_bytes = 1,
    function_constant_bytes = 2,
    function_local_bytes = 3,
    function_registers = 4,
    function_binary_version = 6,
    function_max_dynamic_shared_bytes = 8,
    function_preferred_carveout = 9,
    function_non_portable_cluster = 14,
};

// Per thread: registers, local bytes. Per block: static shared bytes, threads. binary_version: 90 for sm_90.
struct KernelAttributes {
    int registers = 0;
    int static_shared_bytes = 0;
    int local_bytes = 0;
    int constant_bytes = 0;
    int max_threads = 0;
    int binary_version = 0;
};

// Owns the module. Movable, so that it lives in a map.
class LoadedModule {
public:
    // Loads the cubin and looks up its symbols and globals, whose bytes are copied to the host through `stream`.
    // Throws DriverError; RequestError if a symbol or global is not in it.
    LoadedModule(const Api& api, const LoadRequest& request, Stream stream);
    ~LoadedModule();
    LoadedModule(LoadedModule&& other) noexcept;
    LoadedModule& operator=(LoadedModule&&) = delete;
    LoadedModule(const LoadedModule&) = delete;
    LoadedModule& operator=(const LoadedModule&) = delete;

    // The kernel. Throws RequestError if `load` did not name it.
    [[nodiscard]] Function function(const std::string& symbol) const;
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::map<std::string, KernelAttributes>& kernels() const { return attributes_; }

    // Queues the copies that give every global its bytes after loading again. The module must outlive them.
    void restore_globals(Stream stream) const;

private:
    struct Global {
        DevicePointer address;
        Bytes image;
    };

    void find_symbols(const std::vector<std::string>& symbols);
    void find_globals(const std::vector<std::string>& globals, Stream stream);

    const Api* api_;
    std::string name_;
    Module module_ = nullptr;
    std::map<std::string, Function> functions_;
    std::map<std::string, KernelAttributes> attributes_;
    std::vector<Global> globals_;
};

}  // namespace warpwright::driver
