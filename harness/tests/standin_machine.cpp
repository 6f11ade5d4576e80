#include "standin_machine.hpp"

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "driver/error.hpp"

namespace warpwright::tests {
namespace {

#ifndef WARPWRIGHT_STANDIN_LIBRARY
#error "these tests need the stand-in driver: tests/standin/CMakeLists.txt"
#endif

const std::vector<std::string> own_symbols{"ww_generate", "ww_differ",      "ww_fill_shared", "ww_empty",
                                           "ww_spin",     "ww_flush_write", "ww_read",        "ww_block",
                                           "ww_clock",    "ww_seal_sum",    "ww_seal_check",  "ww_demote"};

std::string lines_of(const std::vector<std::string>& symbols) {
    std::string lines;
    for (const std::string& symbol : symbols) {
        lines += "kernel " + symbol + "\n";
    }
    return lines;
}

void set_environment(const char* name, const std::string& value) {
#ifdef _WIN32
    const int failed = _putenv_s(name, value.c_str());
#else
    const int failed = setenv(name, value.c_str(), 1);
#endif
    if (failed != 0) {
        throw std::runtime_error(std::string("cannot set ") + name);
    }
}

// Set before the library is loaded: where it has a C runtime of its own, that reads the environment when it starts.
std::string library_for(const std::string& settings) {
    set_environment("WARPWRIGHT_STANDIN", settings);
    return WARPWRIGHT_STANDIN_LIBRARY;
}

const driver::Api& initialised(const driver::Api& api) {
    WARPWRIGHT_CALL(api, init, 0U);
    return api;
}

}  // namespace

StandinMachine::StandinMachine(const std::string& settings, const std::vector<std::string>& symbols,
                               const std::string& kernels)
    : library_(library_for(settings)),
      info_(driver::describe(initialised(library_.api()), 0)),
      monitor_(nvml::Monitor::default_library(), info_.uuid, info_.pci_bus_id),
      context_(library_.api(), 0),
      staging_(library_.api()),
      machine_{library_.api(), context_, info_, monitor_, modules_, std::nullopt, staging_} {
    load(own_module, own_symbols, lines_of(own_symbols));
    load("candidate", symbols, kernels);
}

void StandinMachine::load(const std::string& name, const std::vector<std::string>& symbols, const std::string& lines) {
    LoadRequest request;
    request.name = name;
    request.symbols = symbols;
    const std::string image = "standin\n" + lines + "\nend\n";
    Bytes bytes(image.begin(), image.end());
    bytes.push_back(0);
    request.cubin = std::move(bytes);
    modules_.emplace(name, driver::LoadedModule(library_.api(), request, context_.stream()));
}

}  // namespace warpwright::tests
