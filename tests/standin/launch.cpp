// cuLaunchKernelEx and what decides about a launch: attributes of functions, occupancy.
#include <algorithm>
#include <string>

#include "behaviour.hpp"
#include "exports.hpp"
#include "launch_record.hpp"
#include "limits.hpp"
#include "world.hpp"

namespace {

using namespace warpwright;
using standin::Call;
using standin::Result;
using standin::World;

// CUfunction_attribute.
constexpr int function_max_threads = 0;
constexpr int function_shared_bytes = 1;
constexpr int function_constant_bytes = 2;
constexpr int function_local_bytes = 3;
constexpr int function_registers = 4;
constexpr int function_ptx_version = 5;
constexpr int function_binary_version = 6;
constexpr int function_max_dynamic_shared_bytes = 8;
constexpr int function_large_clusters = 14;

// CUlaunchAttributeID.
constexpr int attribute_cooperative = 2;
constexpr int attribute_cluster = 4;

struct Wish {
    unsigned cluster[3] = {0, 0, 0};
    bool cooperative = false;
};

Wish wish_of(const driver::LaunchConfiguration& configuration) {
    Wish wish;
    for (unsigned i = 0; i < configuration.attribute_count; ++i) {
        const driver::LaunchAttribute& attribute = configuration.attributes[i];
        if (attribute.id == attribute_cooperative) {
            wish.cooperative = attribute.value.cooperative != 0;
        } else if (attribute.id == attribute_cluster) {
            wish.cluster[0] = attribute.value.cluster.x;
            wish.cluster[1] = attribute.value.cluster.y;
            wish.cluster[2] = attribute.value.cluster.z;
        }
    }
    return wish;
}

Result check_cluster(const Wish& wish, const Call& call, const driver::OpaqueFunction& function) {
    const unsigned blocks = wish.cluster[0] * wish.cluster[1] * wish.cluster[2];
    if (blocks == 0) {
        return standin::success;
    }
    for (std::size_t i = 0; i < 3; ++i) {
        if (call.grid[i] % wish.cluster[i] != 0) {
            return standin::invalid_cluster_size;
        }
    }
    return blocks > (function.large_clusters ? 16u : 8u) ? standin::invalid_cluster_size : standin::success;
}

Result check_shape(const Call& call, const driver::OpaqueFunction& function) {
    const unsigned threads = call.block[0] * call.block[1] * call.block[2];
    const unsigned blocks = std::min({call.grid[0], call.grid[1], call.grid[2]});
    if (threads == 0 || blocks == 0 || call.block[0] > 1024 || call.block[1] > 1024 || call.block[2] > 64 ||
        call.grid[1] > 65535 || call.grid[2] > 65535 || threads > 1024) {
        return standin::invalid_value;
    }
    if (threads > function.image.max_threads || threads * function.image.registers > standin::registers_per_block) {
        return standin::launch_out_of_resources;
    }
    const auto allowed = static_cast<unsigned>(function.max_dynamic_shared_bytes);
    return call.shared_bytes > allowed ? standin::invalid_value : standin::success;
}

Result check_launch(const Wish& wish, const Call& call, const driver::OpaqueFunction& function) {
    if (const Result code = check_shape(call, function); code != standin::success) {
        return code;
    }
    if (const Result code = check_cluster(wish, call, function); code != standin::success) {
        return code;
    }
    if (wish.cooperative) {
        const std::uint64_t blocks = std::uint64_t{call.grid[0]} * call.grid[1] * call.grid[2];
        const auto resident = std::uint64_t{standin::resident_blocks(
                                  function.image, call.block[0] * call.block[1] * call.block[2], call.shared_bytes)} *
                              static_cast<unsigned>(World::get().settings().multiprocessors);
        if (blocks > resident) {
            return standin::cooperative_launch_too_large;
        }
    }
    return standin::success;
}

Call call_of(const driver::LaunchConfiguration& c, const driver::OpaqueFunction& function, void** parameters) {
    Call call{{c.grid_x, c.grid_y, c.grid_z}, {c.block_x, c.block_y, c.block_z}, c.shared_bytes, {}};
    for (std::size_t i = 0; i < function.image.parameter_bytes.size(); ++i) {
        const auto* const bytes = static_cast<const unsigned char*>(parameters[i]);
        call.arguments.emplace_back(bytes, bytes + function.image.parameter_bytes[i]);
    }
    return call;
}

double duration_us(const driver::OpaqueFunction& function, const Call& call, std::uint64_t launch) {
    World& world = World::get();
    const standin::Behaviour& b = function.behaviour;
    const double model = function.code == nullptr ? 5.0 : function.code->duration_us(call);
    const double drift = 1.0 + b.drift * static_cast<double>(launch);
    const double noise = 1.0 + b.noise.value_or(world.settings().noise) * world.noise();
    const double slow = world.settings().clock_mhz / world.clock_mhz();
    return world.settings().overhead_us + b.duration_us.value_or(model) * drift * std::max(noise, 0.0) * slow;
}

// What the stream does with one launch.
Result perform(driver::OpaqueFunction& function, const Call& call, driver::OpaqueStream& stream) {
    World& world = World::get();
    const std::uint64_t launch = world.count_launch(function.name, function.name.rfind("ww_", 0) != 0);
    standin::LaunchRecord record(function, call, launch, stream);
    const Result code = standin::execute(function, call, launch, stream);
    stream.advance_us(duration_us(function, call, launch));
    record.write(code);
    return code;
}

}  // namespace

STANDIN_EXPORT int cuLaunchKernelEx(const driver::LaunchConfiguration* configuration, driver::Function function,
                                    void** parameters, void** extra) {
    STANDIN_ENTER("cuLaunchKernelEx");
    if (configuration == nullptr || function == nullptr || extra != nullptr) {
        return standin::invalid_value;
    }
    const auto stream = World::get().streams.find(configuration->stream);
    if (stream == nullptr) {
        return standin::invalid_handle;
    }
    const standin::Behaviour& behaviour = function->behaviour;
    const std::uint64_t asked = World::get().count_launch("asked " + function->name, false);
    if (behaviour.refuse && asked >= behaviour.at) {
        return *behaviour.refuse;
    }
    const Call call = call_of(*configuration, *function, parameters);
    if (const Result code = check_launch(wish_of(*configuration), call, *function); code != standin::success) {
        return code;
    }
    stream->push([function, call](driver::OpaqueStream& s) { return perform(*function, call, s); });
    return standin::success;
}

STANDIN_EXPORT int cuFuncGetAttribute(int* value, int attribute, driver::Function function) {
    STANDIN_ENTER("cuFuncGetAttribute");
    const standin::ImageKernel& image = function->image;
    const int* const capability = World::get().settings().compute_capability;
    const int version = 10 * capability[0] + capability[1];
    switch (attribute) {
        case function_max_threads:
            *value = static_cast<int>(image.max_threads);
            return standin::success;
        case function_shared_bytes:
            *value = static_cast<int>(image.shared_bytes);
            return standin::success;
        case function_constant_bytes:
            *value = static_cast<int>(image.constant_bytes);
            return standin::success;
        case function_local_bytes:
            *value = static_cast<int>(image.local_bytes);
            return standin::success;
        case function_registers:
            *value = static_cast<int>(image.registers);
            return standin::success;
        case function_ptx_version:
        case function_binary_version:
            *value = version;
            return standin::success;
        case function_max_dynamic_shared_bytes:
            *value = function->max_dynamic_shared_bytes;
            return standin::success;
        case function_large_clusters:
            *value = function->large_clusters ? 1 : 0;
            return standin::success;
        default:
            return standin::invalid_value;
    }
}

STANDIN_EXPORT int cuFuncSetAttribute(driver::Function function, int attribute, int value) {
    STANDIN_ENTER("cuFuncSetAttribute");
    if (attribute == function_max_dynamic_shared_bytes) {
        if (value < 0 || static_cast<unsigned>(value) + function->image.shared_bytes > standin::shared_bytes_optin) {
            return standin::invalid_value;
        }
        function->max_dynamic_shared_bytes = value;
        return standin::success;
    }
    if (attribute == function_large_clusters) {
        function->large_clusters = value != 0;
        return standin::success;
    }
    return standin::invalid_value;
}

STANDIN_EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, driver::Function function, int block_size,
                                                               std::size_t shared_bytes) {
    STANDIN_ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    if (block_size <= 0) {
        return standin::invalid_value;
    }
    *blocks =
        static_cast<int>(standin::resident_blocks(function->image, static_cast<unsigned>(block_size), shared_bytes));
    return standin::success;
}
