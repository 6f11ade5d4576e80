#include "module.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "exports.hpp"
#include "limits.hpp"
#include "world.hpp"

namespace warpwright::driver {

using standin::World;

namespace {

std::string text_of(const std::vector<std::size_t>& sizes) {
    std::string text;
    for (const std::size_t size : sizes) {
        text += (text.empty() ? "" : ", ") + std::to_string(size);
    }
    return text;
}

// A cubin names the sizes of its parameters: the function that stands for the kernel must read the same.
void adopt_parameters(OpaqueFunction& function) {
    std::vector<std::size_t>& sizes = function.image.parameter_bytes;
    if (!sizes.empty() && sizes != function.code->parameter_bytes) {
        throw standin::ImageError("kernel " + function.name + " has parameters of " + text_of(sizes) +
                                  " bytes, the registry's kernel of " + text_of(function.code->parameter_bytes));
    }
    sizes = function.code->parameter_bytes;
}

// Dynamic shared memory that needs no permission. Source: CUDA Driver API, CUfunction_attribute.
int default_shared_bytes(const standin::ImageKernel& kernel) {
    return static_cast<int>(standin::shared_bytes_per_block -
                            std::min(kernel.shared_bytes, standin::shared_bytes_per_block));
}

}  // namespace

OpaqueModule::OpaqueModule(const standin::ModuleImage& image) {
    World& world = World::get();
    for (const auto& [name, kernel] : image.kernels) {
        OpaqueFunction& function = functions[name];
        function.name = name;
        function.image = kernel;
        function.behaviour = kernel.behaviour.value_or(world.behaviour_of(name));
        function.code = standin::find_kernel(function.behaviour.computes.empty() ? name : function.behaviour.computes);
        function.module = this;
        function.max_dynamic_shared_bytes = default_shared_bytes(kernel);
        if (function.code != nullptr) {
            adopt_parameters(function);
        }
    }
    for (const auto& [name, contents] : image.variables) {
        Variable& variable = variables[name];
        variable.bytes = contents.size();
        if (world.memory.allocate(variable.address, contents.size()) != standin::success) {
            throw std::bad_alloc();
        }
        std::memcpy(reinterpret_cast<void*>(static_cast<std::uintptr_t>(variable.address)), contents.data(),
                    contents.size());
    }
}

OpaqueModule::~OpaqueModule() {
    for (const auto& [name, variable] : variables) {
        static_cast<void>(World::get().memory.free(variable.address));
    }
}

}  // namespace warpwright::driver

namespace {

using namespace warpwright;
using standin::World;

// A cubin runs on GPUs of its major compute capability that are not older.
bool runs_here(int sm) {
    const int* const capability = World::get().settings().compute_capability;
    return sm == 0 || (sm / 10 == capability[0] && sm % 10 <= capability[1]);
}

}  // namespace

STANDIN_EXPORT int cuModuleLoadData(driver::Module* module, const void* image) {
    STANDIN_ENTER("cuModuleLoadData");
    if (module == nullptr || image == nullptr) {
        return standin::invalid_value;
    }
    try {
        const standin::ModuleImage read = standin::read_image(image);
        if (!runs_here(read.sm)) {
            return 209;  // CUDA_ERROR_NO_BINARY_FOR_GPU
        }
        *module = World::get().modules.add(std::make_shared<driver::OpaqueModule>(read));
    } catch (const standin::ImageError& error) {
        std::fprintf(stderr, "stand-in driver: %s\n", error.what());
        return standin::invalid_image;
    } catch (const std::bad_alloc&) {
        return standin::out_of_memory;
    }
    World::get().log.write({{"op", "load"}});
    return standin::success;
}

STANDIN_EXPORT int cuModuleUnload(driver::Module module) {
    STANDIN_ENTER("cuModuleUnload");
    for (const auto& stream : World::get().streams.all()) {
        stream->wait_until_idle();  // its kernels may be queued
    }
    return World::get().modules.remove(module) ? standin::success : standin::invalid_handle;
}

STANDIN_EXPORT int cuModuleGetFunction(driver::Function* function, driver::Module module, const char* name) {
    STANDIN_ENTER("cuModuleGetFunction");
    const auto alive = World::get().modules.find(module);
    if (alive == nullptr) {
        return standin::invalid_handle;
    }
    const auto found = alive->functions.find(name);
    if (found == alive->functions.end()) {
        return standin::not_found;
    }
    *function = &found->second;
    return standin::success;
}

STANDIN_EXPORT int cuModuleGetGlobal_v2(driver::DevicePointer* address, std::size_t* bytes, driver::Module module,
                                        const char* name) {
    STANDIN_ENTER("cuModuleGetGlobal_v2");
    const auto alive = World::get().modules.find(module);
    if (alive == nullptr) {
        return standin::invalid_handle;
    }
    const auto found = alive->variables.find(name);
    if (found == alive->variables.end()) {
        return standin::not_found;
    }
    *address = found->second.address;
    *bytes = found->second.bytes;
    return standin::success;
}
