// Modules and kernels as the driver hands them out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "image.hpp"
#include "kernels.hpp"
#include "settings.hpp"

namespace warpwright::driver {

struct OpaqueModule;

struct OpaqueFunction {
    std::string name;
    standin::ImageKernel image;
    standin::Behaviour behaviour;
    const standin::KernelCode* code = nullptr;  // null: a kernel that this GPU does not know does nothing
    OpaqueModule* module = nullptr;
    int max_dynamic_shared_bytes = 0;
    bool large_clusters = false;
    std::vector<std::vector<unsigned char>> first_answer;  // of a kernel that replays; touched by its stream only
};

struct OpaqueModule {
    // Throws standin::ImageError; std::bad_alloc if the GPU has no room for the variables.
    OpaqueModule(const standin::ModuleImage& image);
    ~OpaqueModule();
    OpaqueModule(const OpaqueModule&) = delete;  // owns device memory
    OpaqueModule& operator=(const OpaqueModule&) = delete;

    struct Variable {
        std::uint64_t address = 0;
        std::size_t bytes = 0;
    };

    std::map<std::string, OpaqueFunction> functions;
    std::map<std::string, Variable> variables;
};

}  // namespace warpwright::driver
