#include "protocol/parse.hpp"

#include <limits>
#include <set>
#include <string>
#include <utility>

#include "protocol/faults.hpp"
#include "protocol/fields.hpp"
#include "protocol/npy.hpp"
#include "protocol/parse_arrays.hpp"

namespace warpwright {
namespace {

using nlohmann::json;

constexpr std::uint64_t schema = 1;
constexpr std::uint64_t largest_int = std::numeric_limits<int>::max();
constexpr std::uint64_t largest_unsigned = std::numeric_limits<unsigned>::max();

// Names that a launch may pass.
std::set<std::string> argument_names(const std::vector<ArraySpec>& arrays, const std::vector<ScalarSpec>& scalars) {
    std::set<std::string> names;
    for (const ArraySpec& array : arrays) {
        names.insert(array.name);
    }
    for (const ScalarSpec& scalar : scalars) {
        names.insert(scalar.name);
    }
    return names;
}

LaunchSpec parse_launch(const json& value, const std::string& where, const std::set<std::string>& names) {
    Fields fields(value, where);
    LaunchSpec launch;
    launch.symbol = fields.text("symbol");
    launch.grid = fields.dim3("grid");
    launch.block = fields.dim3("block");
    launch.shared_bytes = static_cast<unsigned>(fields.count("shared_bytes", 0, largest_int));
    launch.cluster = fields.optional_dim3("cluster");
    launch.cooperative = fields.boolean("cooperative");
    launch.args = fields.texts("args");
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
        if (names.count(launch.args[i]) == 0) {
            refuse(fields.place("args", i), launch.args[i], "the name of an array or scalar of the request");
        }
    }
    fields.finish();
    return launch;
}

Plan parse_plan(const json& value, const std::string& where, const std::set<std::string>& names) {
    Fields fields(value, where);
    Plan plan;
    for (const json& launch : fields.array("launches")) {
        plan.launches.push_back(parse_launch(launch, fields.place("launches", plan.launches.size()), names));
    }
    fields.finish();
    if (plan.launches.empty()) {
        throw RequestError(fields.place("launches") + " is empty; allowed: at least one launch");
    }
    return plan;
}

std::vector<ScalarSpec> parse_scalars(const json& value, const std::string& where,
                                      const std::vector<ArraySpec>& arrays) {
    std::vector<ScalarSpec> scalars;
    std::set<std::string> taken = argument_names(arrays, {});
    for (const json& each : value) {
        Fields fields(each, where + "[" + std::to_string(scalars.size()) + "]");
        ScalarSpec scalar;
        scalar.name = fields.text("name");
        scalar.bytes = parse_hex(fields.text("hex"), fields.place("hex"));
        if (scalar.bytes.empty()) {
            throw RequestError(fields.place("hex") + " is empty; allowed: at least one byte");
        }
        fields.finish();
        if (!taken.insert(scalar.name).second) {
            throw RequestError(where + ": the name " + scalar.name + " is taken");
        }
        scalars.push_back(std::move(scalar));
    }
    return scalars;
}

ScheduledLaunch parse_scheduled(const json& value, const std::string& where, const std::vector<ArraySpec>& arrays) {
    Fields fields(value, where);
    ScheduledLaunch launch;
    launch.values = parse_values(fields.any("values"), fields.place("values"), arrays);
    launch.keep = fields.boolean("keep");
    fields.finish();
    return launch;
}

Block parse_block(const json& value, const std::string& where, const TimeRequest& request) {
    Fields fields(value, where);
    Block block;
    block.contestant = static_cast<std::size_t>(fields.count("contestant", 0, request.contestants.size() - 1));
    for (const json& launch : fields.array("launches")) {
        block.launches.push_back(
            parse_scheduled(launch, fields.place("launches", block.launches.size()), request.arrays));
    }
    fields.finish();
    if (block.launches.empty()) {
        throw RequestError(fields.place("launches") + " is empty; allowed: at least one launch");
    }
    return block;
}

void parse_contestants(Fields& fields, TimeRequest& request) {
    const std::set<std::string> names = argument_names(request.arrays, request.scalars);
    for (const json& each : fields.array("contestants")) {
        Fields one(each, fields.place("contestants", request.contestants.size()));
        Contestant contestant;
        contestant.module = one.text("module");
        contestant.plan = parse_plan(one.any("plan"), one.place("plan"), names);
        one.finish();
        request.contestants.push_back(std::move(contestant));
    }
    if (request.contestants.empty()) {
        throw RequestError(fields.place("contestants") + " is empty; allowed: at least one contestant");
    }
}

std::vector<std::string> parse_returned(Fields& fields, const std::vector<ArraySpec>& arrays) {
    std::vector<std::string> returned = fields.texts("return");
    const std::set<std::string> names = argument_names(arrays, {});
    for (std::size_t i = 0; i < returned.size(); ++i) {
        if (names.count(returned[i]) == 0) {
            refuse(fields.place("return", i), returned[i], "the name of an array of the request");
        }
    }
    return returned;
}

}  // namespace

HelloRequest parse_hello(const json& body) {
    Fields fields(body, "hello");
    HelloRequest request;
    request.schema = static_cast<int>(fields.count("schema", schema, schema));
    request.device = static_cast<int>(fields.count("device", 0, largest_int));
    request.nonce = fields.text("nonce");
    fields.finish();
    return request;
}

LoadRequest parse_load(const json& body, std::vector<HostBytes> attachments) {
    Fields fields(body, "load");
    LoadRequest request;
    request.name = fields.text("name");
    request.symbols = fields.texts("symbols");
    request.globals = fields.texts("globals");
    fields.finish();
    if (attachments.size() != 1) {
        throw RequestError("load has " + std::to_string(attachments.size()) + " attachments; allowed: 1, the cubin");
    }
    const NpyHeader header = parse_npy(attachments[0], "load (attachment 0)");
    if (header.descr != "|u1" || header.shape.size() != 1) {
        throw RequestError("load (attachment 0): the cubin has type " + header.descr + " in " +
                           std::to_string(header.shape.size()) + " dimensions; allowed: |u1 in one dimension");
    }
    request.cubin = npy_payload(attachments[0], header);
    return request;
}

std::string parse_unload(const json& body) {
    Fields fields(body, "unload");
    std::string name = fields.text("name");
    fields.finish();
    return name;
}

RunRequest parse_run(const json& body, std::vector<HostBytes> attachments) {
    Fields fields(body, "run");
    RunRequest request;
    request.module = fields.text("module");
    request.arrays = parse_arrays(fields.array("arrays"), fields.place("arrays"), attachments);
    request.scalars = parse_scalars(fields.array("scalars"), fields.place("scalars"), request.arrays);
    request.plan =
        parse_plan(fields.any("plan"), fields.place("plan"), argument_names(request.arrays, request.scalars));
    request.values = parse_values(fields.any("values"), fields.place("values"), request.arrays);
    request.poison = static_cast<unsigned char>(fields.count("poison", 0, 255));
    request.guard = static_cast<unsigned char>(fields.count("guard", 0, 255));
    request.placement = static_cast<Placement>(fields.word("placement", {"start", "end"}));
    request.fill_shared = fields.boolean("fill_shared");
    request.plain_memory = fields.boolean("plain_memory");
    request.time_limit_s = fields.number("time_limit_s", 0.0);
    request.returned = parse_returned(fields, request.arrays);
    fields.finish();
    return request;
}

TimeRequest parse_time(const json& body, std::vector<HostBytes> attachments) {
    Fields fields(body, "time");
    TimeRequest request;
    request.arrays = parse_arrays(fields.array("arrays"), fields.place("arrays"), attachments);
    request.scalars = parse_scalars(fields.array("scalars"), fields.place("scalars"), request.arrays);
    parse_contestants(fields, request);
    for (const json& block : fields.array("blocks")) {
        request.blocks.push_back(parse_block(block, fields.place("blocks", request.blocks.size()), request));
    }
    request.sets = static_cast<std::size_t>(fields.count("sets", 1, largest_int));
    request.cold = fields.boolean("cold");
    request.flushes = static_cast<unsigned>(fields.count("flushes", 0, largest_unsigned));
    request.spin_ms = fields.number("spin_ms", 0.0);
    request.blocker = fields.boolean("blocker");
    request.time_limit_s = fields.number("time_limit_s", 0.0);
    fields.finish();
    return request;
}

void parse_nothing(const json& body, const std::string& op) { Fields(body, op).finish(); }

}  // namespace warpwright
