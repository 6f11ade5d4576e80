#include "driver/module.hpp"

#include <utility>

#include "driver/error.hpp"
#include "protocol/faults.hpp"

namespace warpwright::driver {
namespace {

int function_value(const Api& api, Function function, int number) {
    int value = 0;
    WARPWRIGHT_CALL(api, function_attribute, &value, number, function);
    return value;
}

KernelAttributes attributes_of(const Api& api, Function function) {
    KernelAttributes found;
    found.registers = function_value(api, function, function_registers);
    found.static_shared_bytes = function_value(api, function, function_static_shared_bytes);
    found.local_bytes = function_value(api, function, function_local_bytes);
    found.constant_bytes = function_value(api, function, function_constant_bytes);
    found.max_threads = function_value(api, function, function_max_threads);
    found.binary_version = function_value(api, function, function_binary_version);
    return found;
}

}  // namespace

LoadedModule::LoadedModule(const Api& api, const LoadRequest& request, Stream stream)
    : api_(&api), name_(request.name) {
    WARPWRIGHT_CALL(api, module_load, &module_, request.cubin.data());
    try {
        find_symbols(request.symbols);
        find_globals(request.globals, stream);
    } catch (const std::exception&) {
        api.module_unload(module_);  // the destructor does not run for an object that was not made
        throw;
    }
}

// The result is not looked at: it fails only in a context that is dead already.
LoadedModule::~LoadedModule() {
    if (module_ != nullptr) {
        api_->module_unload(module_);
    }
}

LoadedModule::LoadedModule(LoadedModule&& other) noexcept
    : api_(other.api_),
      name_(std::move(other.name_)),
      module_(std::exchange(other.module_, nullptr)),
      functions_(std::move(other.functions_)),
      attributes_(std::move(other.attributes_)),
      globals_(std::move(other.globals_)) {}

Function LoadedModule::function(const std::string& symbol) const {
    const auto found = functions_.find(symbol);
    if (found == functions_.end()) {
        throw RequestError("module " + name_ + ": kernel " + symbol + " was not among the symbols of its `load`");
    }
    return found->second;
}

void LoadedModule::restore_globals(Stream stream) const {
    for (const Global& global : globals_) {
        WARPWRIGHT_CALL(*api_, copy_to_device, global.address, global.image.data(), global.image.size(), stream);
    }
}

void LoadedModule::find_symbols(const std::vector<std::string>& symbols) {
    for (const std::string& symbol : symbols) {
        Function function = nullptr;
        const Result code = api_->module_function(&function, module_, symbol.c_str());
        if (code == not_found) {
            throw RequestError("load " + name_ + ": the cubin has no kernel " + symbol);
        }
        check(*api_, code, "cuModuleGetFunction");
        functions_[symbol] = function;
        attributes_[symbol] = attributes_of(*api_, function);
    }
}

void LoadedModule::find_globals(const std::vector<std::string>& globals, Stream stream) {
    for (const std::string& symbol : globals) {
        Global global{};
        std::size_t bytes = 0;
        const Result code = api_->module_global(&global.address, &bytes, module_, symbol.c_str());
        if (code == not_found) {
            throw RequestError("load " + name_ + ": the cubin has no variable " + symbol);
        }
        check(*api_, code, "cuModuleGetGlobal_v2");
        global.image.resize(bytes);
        WARPWRIGHT_CALL(*api_, copy_to_host, global.image.data(), global.address, bytes, stream);
        globals_.push_back(std::move(global));
    }
    if (!globals.empty()) {
        WARPWRIGHT_CALL(*api_, context_synchronize, );
    }
}

}  // namespace warpwright::driver
