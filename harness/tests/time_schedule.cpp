#include "time_schedule.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "generate.cuh"
#include "time/time.hpp"

namespace warpwright::tests {
namespace {

std::string log_path() {
    static std::atomic<int> number{0};
    const std::string name = "warpwright-time-" + std::to_string(number++) + "-" +
                             std::to_string(reinterpret_cast<std::uintptr_t>(&number)) + ".log";
    const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
    std::filesystem::remove(path);
    return path.generic_string();
}

ArraySpec floats(const std::string& name, Role role) {
    ArraySpec array;
    array.name = name;
    array.role = role;
    array.descr = "<f4";
    array.shape = {timed_elements};
    array.item_bytes = sizeof(float);
    array.count = timed_elements;
    array.align_bytes = sizeof(float);
    return array;
}

Bytes packed(std::int32_t value) {
    Bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

}  // namespace

namespace {

// The stand-in library is NVML too. The variable is read when a schedule begins.
std::string with_nvml(std::string path) {
#ifdef _WIN32
    static_cast<void>(_putenv_s("WARPWRIGHT_NVML", WARPWRIGHT_STANDIN_LIBRARY));
#else
    static_cast<void>(setenv("WARPWRIGHT_NVML", WARPWRIGHT_STANDIN_LIBRARY, 1));
#endif
    return path;
}

}  // namespace

LoggedMachine::LoggedMachine(const std::string& kernel, const std::string& behaviour, const std::string& more)
    : path_(with_nvml(log_path())),
      gpu_(R"({"l2_bytes": 1048576, "log": ")" + path_ + "\"" + more + "}", {kernel},
           "kernel " + kernel + " " + behaviour) {}

LoggedMachine::~LoggedMachine() {
    std::error_code unused;
    std::filesystem::remove(path_, unused);
}

TimeReply LoggedMachine::time(const TimeRequest& request) { return warpwright::time(gpu_.machine(), request); }

std::vector<nlohmann::json> LoggedMachine::log() const {
    std::vector<nlohmann::json> lines;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
        lines.push_back(nlohmann::json::parse(line));
    }
    return lines;
}

std::vector<nlohmann::json> LoggedMachine::launches(const std::string& kernel) const {
    std::vector<nlohmann::json> found;
    for (const nlohmann::json& line : log()) {
        if (line.at("op") == "launch" && line.at("kernel") == kernel) {
            found.push_back(line);
        }
    }
    return found;
}

TimeRequest scale_schedule(const std::vector<std::size_t>& launches_of_blocks) {
    TimeRequest request;
    LaunchSpec launch;
    launch.symbol = "scale";
    launch.grid = {timed_elements / 256, 1, 1};
    launch.block = {256, 1, 1};
    launch.args = {"y", "x", "n"};
    request.contestants = {{"candidate", {{launch}}}};
    request.arrays = {floats("x", Role::in), floats("y", Role::out)};
    warpwright::Recipe recipe;
    recipe.kind = RecipeKind::normal;
    recipe.second = 1.0;
    request.arrays[0].recipe = recipe;
    request.scalars = {{"n", packed(timed_elements)}};
    std::uint64_t key = 1000;
    for (const std::size_t launches : launches_of_blocks) {
        Block block;
        for (std::size_t i = 0; i < launches; ++i) {
            ScheduledLaunch scheduled;
            scheduled.values["x"] = {{key++, 7}, 0};
            block.launches.push_back(scheduled);
        }
        request.blocks.push_back(block);
    }
    request.sets = 10;
    request.time_limit_s = 20.0;
    return request;
}

TimeRequest pooled_schedule(const std::vector<std::size_t>& launches_of_blocks, std::size_t entries) {
    TimeRequest request = scale_schedule(launches_of_blocks);
    request.arrays[0].recipe.reset();
    for (std::size_t entry = 0; entry < entries; ++entry) {
        Bytes values(timed_elements * sizeof(float));
        for (std::size_t i = 0; i < timed_elements; ++i) {
            const float value = static_cast<float>(i * entries + entry);
            std::memcpy(values.data() + i * sizeof value, &value, sizeof value);
        }
        request.arrays[0].pool.push_back(std::move(values));
    }
    std::size_t turn = 0;
    for (Block& block : request.blocks) {
        for (ScheduledLaunch& launch : block.launches) {
            launch.values["x"].pool_index = turn++ % entries;
        }
    }
    return request;
}

Bytes expected_scale(const TimeRequest& request, std::size_t block, std::size_t launch) {
    const Key key = request.blocks[block].launches[launch].values.at("x").key;
    const generated::Recipe recipe{
        timed_elements, generated::f32, generated::normal, key.low, key.high, 0.0, 1.0, 0, 1};
    std::vector<float> values(timed_elements);
    for (generated::u64 part = 0; part < generated::block_count(recipe); ++part) {
        generated::store_block(values.data(), recipe, part);
    }
    for (float& value : values) {
        value *= 2.0F;
    }
    Bytes bytes(timed_elements * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

}  // namespace warpwright::tests
