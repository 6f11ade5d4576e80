#include "launch/launcher.hpp"

#include <string>
#include <utility>

#include "driver/error.hpp"
#include "service/machine.hpp"

namespace warpwright::launch {

namespace {

// Source: CUDA Driver API, CUlaunchAttributeID.
constexpr int attribute_cooperative = 2;
constexpr int attribute_cluster = 4;

// Clusters up to this size need no permission. Source: CUDA C++ Programming Guide.
constexpr unsigned portable_cluster_blocks = 8;

driver::LaunchConfiguration configuration_of(const LaunchSpec& spec) {
    driver::LaunchConfiguration configuration{};
    configuration.grid_x = spec.grid[0];
    configuration.grid_y = spec.grid[1];
    configuration.grid_z = spec.grid[2];
    configuration.block_x = spec.block[0];
    configuration.block_y = spec.block[1];
    configuration.block_z = spec.block[2];
    configuration.shared_bytes = spec.shared_bytes;
    return configuration;
}

std::vector<driver::LaunchAttribute> attributes_of(const LaunchSpec& spec) {
    std::vector<driver::LaunchAttribute> attributes;
    if (spec.cluster) {
        driver::LaunchAttribute attribute{};
        attribute.id = attribute_cluster;
        attribute.value.cluster = {(*spec.cluster)[0], (*spec.cluster)[1], (*spec.cluster)[2]};
        attributes.push_back(attribute);
    }
    if (spec.cooperative) {
        driver::LaunchAttribute attribute{};
        attribute.id = attribute_cooperative;
        attribute.value.cooperative = 1;
        attributes.push_back(attribute);
    }
    return attributes;
}

// Asks for what a launch may not do by default. The driver answers "invalid value" where the GPU has not that much.
void permit(const driver::Api& api, driver::Function function, int attribute, unsigned value, const char* kind,
            const std::string& asked, const Origin& origin) {
    const driver::Result code = api.function_set_attribute(function, attribute, static_cast<int>(value));
    if (code == driver::success) {
        return;
    }
    const driver::DriverError error(api, code, driver::exported_name("function_set_attribute"));
    if (code != driver::invalid_value) {
        throw_fault(error, origin);
    }
    throw make_fault(kind, "this GPU refuses " + asked + " for this kernel: " + error.what(), error, origin);
}

// Dynamic shared memory that a launch of the function may have as things are. A new function may have what the GPU
// gives any block (48 KiB) less its static shared memory. Source: CUDA Driver API, CUfunction_attribute.
unsigned allowed_shared_bytes(const driver::Api& api, driver::Function function) {
    int bytes = 0;
    WARPWRIGHT_CALL(api, function_attribute, &bytes, driver::function_max_dynamic_shared_bytes, function);
    return bytes < 0 ? 0U : static_cast<unsigned>(bytes);
}

// Limits belong to the function, which other launches use too: they are only ever raised.
void raise_limits(const driver::Api& api, driver::Function function, const LaunchSpec& spec, const Origin& origin) {
    if (spec.shared_bytes > allowed_shared_bytes(api, function)) {
        permit(api, function, driver::function_max_dynamic_shared_bytes, spec.shared_bytes, "launch_resources",
               std::to_string(spec.shared_bytes) + " bytes of dynamic shared memory per block", origin);
    }
    if (spec.cluster) {
        const Dim3& cluster = *spec.cluster;
        const unsigned long long blocks = 1ULL * cluster[0] * cluster[1] * cluster[2];
        if (blocks > portable_cluster_blocks) {
            permit(api, function, driver::function_non_portable_cluster, 1, "launch_config",
                   "clusters of " + std::to_string(blocks) + " blocks", origin);
        }
    }
}

}  // namespace

PreparedPlan::PreparedPlan(const driver::Api& api, const driver::LoadedModule& module, const Plan& plan,
                           const Addresses& arrays, const std::vector<ScalarSpec>& scalars)
    : api_(&api), is_candidate_(module.name() != own_module) {
    for (const LaunchSpec& spec : plan.launches) {
        const Origin origin{launches_.size(), spec.symbol};
        const driver::Function function = module.function(spec.symbol);
        Parameters parameters(spec.args, arrays, scalars);
        raise_limits(api, function, spec, origin);
        launches_.push_back({origin, function, configuration_of(spec), attributes_of(spec), std::move(parameters)});
    }
}

void PreparedPlan::enqueue(driver::Stream stream, std::size_t index) {
    Launch& launch = launches_[index];
    launch.configuration.stream = stream;
    launch.configuration.attributes = launch.attributes.empty() ? nullptr : launch.attributes.data();
    launch.configuration.attribute_count = static_cast<unsigned>(launch.attributes.size());
    if (is_candidate_) {
        note_candidate_launch();
    }
    try {
        WARPWRIGHT_CALL(*api_, launch, &launch.configuration, launch.function, launch.parameters.pointers(), nullptr);
    } catch (const driver::DriverError& error) {
        throw_fault(error, driver::is_sticky(error.code()) ? Origin{} : launch.origin);
    }
}

void PreparedPlan::enqueue(driver::Stream stream) {
    for (std::size_t index = 0; index < launches_.size(); ++index) {
        enqueue(stream, index);
    }
}

}  // namespace warpwright::launch
