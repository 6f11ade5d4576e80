#include "time/request_check.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "memory/input_source.hpp"
#include "protocol/faults.hpp"

namespace warpwright::timing {
namespace {

// A busy kernel of more than this would look like a hang to people, and to a display.
constexpr double longest_spin_ms = 10'000.0;

void check_numbers(const TimeRequest& request) {
    if (request.sets == 0) {
        throw RequestError("time: sets is 0; at least 1 is needed");
    }
    if (request.cold && request.flushes == 0) {
        throw RequestError("time: flushes is 0 with cold true; at least 1 is needed");
    }
    if (!(request.spin_ms >= 0.0 && request.spin_ms <= longest_spin_ms)) {
        throw RequestError("time: spin_ms is outside 0 to 10000");
    }
    if (!std::isfinite(request.time_limit_s) || request.time_limit_s <= 0.0) {
        throw RequestError("time: time_limit_s is not above 0");
    }
}

void check_names(const TimeRequest& request) {
    std::set<std::string> names;
    for (const ArraySpec& array : request.arrays) {
        if (!names.insert(array.name).second) {
            throw RequestError("time: two arrays are named " + array.name);
        }
        if (array.is_input() && !array.recipe && array.pool.empty()) {
            throw RequestError("time: the input " + array.name + " has neither a recipe nor a pool");
        }
    }
}

void check_values(const TimeRequest& request, const Plan& plan, const Values& values) {
    for (const auto& [name, value] : values) {
        const auto found = std::find_if(request.arrays.begin(), request.arrays.end(),
                                        [&name = name](const ArraySpec& array) { return array.name == name; });
        if (found == request.arrays.end() || !found->is_input()) {
            throw RequestError("values: " + name + " is no input of this request");
        }
        static_cast<void>(memory::value_of(*found, values));
    }
    for (const ArraySpec& array : request.arrays) {
        if (array.is_input() && uses(plan, array.name)) {
            static_cast<void>(memory::value_of(array, values));
        }
    }
}

}  // namespace

bool uses(const Plan& plan, const std::string& array) {
    return std::any_of(plan.launches.begin(), plan.launches.end(), [&array](const LaunchSpec& launch) {
        return std::find(launch.args.begin(), launch.args.end(), array) != launch.args.end();
    });
}

void check_request(const TimeRequest& request) {
    check_numbers(request);
    check_names(request);
    for (const Contestant& contestant : request.contestants) {
        if (contestant.plan.launches.empty()) {
            throw RequestError("time: the plan of module " + contestant.module + " has no launches");
        }
    }
    for (std::size_t index = 0; index < request.blocks.size(); ++index) {
        const Block& block = request.blocks[index];
        const std::string where = "time: block " + std::to_string(index);
        if (block.contestant >= request.contestants.size()) {
            throw RequestError(where + " names contestant " + std::to_string(block.contestant) + " of " +
                               std::to_string(request.contestants.size()));
        }
        if (block.launches.empty()) {
            throw RequestError(where + " has no launches");
        }
        for (const ScheduledLaunch& launch : block.launches) {
            check_values(request, request.contestants[block.contestant].plan, launch.values);
        }
    }
}

}  // namespace warpwright::timing
