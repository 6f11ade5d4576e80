#include "launch/launcher.hpp"

#include <string>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "launch/own_kernel.hpp"
#include "launch/shared_filler.hpp"
#include "standin_machine.hpp"

using namespace warpwright;
using namespace warpwright::launch;

namespace {

// What the driver was asked for, by the functions below.
std::vector<driver::LaunchConfiguration> launched;
std::vector<driver::LaunchAttribute> launch_attributes;
std::vector<std::pair<int, int>> set_attributes;

driver::Result record_launch(const driver::LaunchConfiguration* configuration, driver::Function, void**, void**) {
    launched.push_back(*configuration);
    launch_attributes.assign(configuration->attributes, configuration->attributes + configuration->attribute_count);
    return driver::success;
}

driver::Result record_attribute(driver::Function, int attribute, int value) {
    set_attributes.emplace_back(attribute, value);
    return driver::success;
}

driver::Result (*set_attribute)(driver::Function, int, int) = nullptr;

driver::Result record_and_set(driver::Function function, int attribute, int value) {
    set_attributes.emplace_back(attribute, value);
    return set_attribute(function, attribute, value);
}

driver::Api recording(const driver::Api& api) {
    driver::Api copy = api;
    copy.launch = record_launch;
    copy.function_set_attribute = record_attribute;
    launched.clear();
    launch_attributes.clear();
    set_attributes.clear();
    return copy;
}

}  // namespace

TEST_CASE("a launch carries its shape; small ones ask for no permission") {
    tests::StandinMachine gpu("{}", {"nothing"}, "kernel nothing");
    const driver::Api api = recording(gpu.api());
    LaunchSpec spec;
    spec.symbol = "nothing";
    spec.grid = {5, 6, 7};
    spec.block = {32, 4, 2};
    spec.shared_bytes = 48 * 1024;
    spec.cluster = Dim3{1, 2, 4};
    PreparedPlan plan(api, gpu.machine().module("candidate"), Plan{{spec}}, {}, {});
    const driver::Stream stream = gpu.machine().context.stream();
    plan.enqueue(stream);
    REQUIRE(launched.size() == 1);
    CHECK(launched[0].grid_x == 5);
    CHECK(launched[0].grid_y == 6);
    CHECK(launched[0].grid_z == 7);
    CHECK(launched[0].block_x == 32);
    CHECK(launched[0].block_y == 4);
    CHECK(launched[0].block_z == 2);
    CHECK(launched[0].shared_bytes == 48 * 1024);
    CHECK(launched[0].stream == stream);
    REQUIRE(launch_attributes.size() == 1);
    CHECK(launch_attributes[0].id == 4);
    CHECK(launch_attributes[0].value.cluster.x == 1);
    CHECK(launch_attributes[0].value.cluster.y == 2);
    CHECK(launch_attributes[0].value.cluster.z == 4);
    CHECK(set_attributes.empty());
}

TEST_CASE("large shared memory, large clusters and cooperation are asked for") {
    tests::StandinMachine gpu("{}", {"nothing"}, "kernel nothing");
    const driver::Api api = recording(gpu.api());
    LaunchSpec spec;
    spec.symbol = "nothing";
    spec.shared_bytes = 48 * 1024 + 16;
    spec.cluster = Dim3{16, 1, 1};
    spec.cooperative = true;
    LaunchSpec simple;
    simple.symbol = "nothing";
    PreparedPlan plan(api, gpu.machine().module("candidate"), Plan{{spec, simple}}, {}, {});
    using Pair = std::pair<int, int>;
    CHECK(set_attributes == std::vector<Pair>{{8, 48 * 1024 + 16}, {14, 1}});
    plan.enqueue(gpu.machine().context.stream(), 0);
    REQUIRE(launch_attributes.size() == 2);
    CHECK(launch_attributes[0].id == 4);
    CHECK(launch_attributes[1].id == 2);
    CHECK(launch_attributes[1].value.cooperative == 1);
    plan.enqueue(gpu.machine().context.stream(), 1);
    CHECK(launch_attributes.empty());
    CHECK(plan.size() == 2);
    CHECK(plan.origin(1).launch == std::optional<std::size_t>(1));
}

TEST_CASE("limits of shared memory are only ever raised, and count static shared memory") {
    tests::StandinMachine gpu("{}", {"nothing", "row_sum"}, "kernel nothing\nkernel row_sum shared_bytes=16384");
    driver::Api api = gpu.api();
    api.function_set_attribute = record_and_set;
    set_attribute = gpu.api().function_set_attribute;
    set_attributes.clear();
    LaunchSpec large;
    large.symbol = "nothing";
    large.shared_bytes = 100 * 1024;
    LaunchSpec small = large;
    small.shared_bytes = 60 * 1024;
    PreparedPlan plan(api, gpu.machine().module("candidate"), Plan{{large, small}}, {}, {});
    using Pair = std::pair<int, int>;
    CHECK(set_attributes == std::vector<Pair>{{8, 100 * 1024}});
    plan.enqueue(gpu.machine().context.stream());

    LaunchSpec both;
    both.symbol = "row_sum";
    both.shared_bytes = 40 * 1024;
    set_attributes.clear();
    const PreparedPlan other(api, gpu.machine().module("candidate"), Plan{{both}}, {}, {});
    CHECK(set_attributes == std::vector<Pair>{{8, 40 * 1024}});
}

TEST_CASE("own kernels are launched with the shape that is given") {
    tests::StandinMachine gpu("{}", {"nothing"}, "kernel nothing");
    const driver::Api api = recording(gpu.api());
    launch_own(api, gpu.machine().module(own_module).function("ww_empty"), Shape{3, 64, 128}, nullptr);
    REQUIRE(launched.size() == 1);
    CHECK(launched[0].grid_x == 3);
    CHECK(launched[0].block_x == 64);
    CHECK(launched[0].shared_bytes == 128);
    CHECK(launched[0].attribute_count == 0);
}

TEST_CASE("shared memory is filled with all that a block can have, more often than there are SMs") {
    tests::StandinMachine gpu(R"({"multiprocessors": 20})", {"nothing"}, "kernel nothing");
    const SharedFiller filler(gpu.machine().context, gpu.machine().module(own_module));
    filler.enqueue(gpu.machine().context.stream(), 0x7E);
    CHECK(gpu.api().context_synchronize() == driver::success);
    CHECK(filler.blocks() == 40);
    CHECK(filler.shared_bytes() ==
          static_cast<unsigned>(gpu.machine().context.attribute(driver::shared_per_block_optin)));
}

TEST_CASE("grids of stride loops cover small counts and stay bounded") {
    CHECK(stride_blocks(0) == 1);
    CHECK(stride_blocks(1) == 1);
    CHECK(stride_blocks(256) == 1);
    CHECK(stride_blocks(257) == 2);
    CHECK(stride_blocks(~std::uint64_t{0}) == 8192);
}
