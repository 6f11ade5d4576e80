#include "protocol/write.hpp"

#include <optional>
#include <utility>

#include "protocol/npy.hpp"
#include "service/build.hpp"

namespace warpwright {
namespace {

using nlohmann::ordered_json;

template <typename Value>
ordered_json or_null(const std::optional<Value>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json text_or_null(const std::string& text) { return text.empty() ? ordered_json(nullptr) : ordered_json(text); }

template <typename Value>
ordered_json object_of(const std::map<std::string, Value>& values) {
    ordered_json object = ordered_json::object();
    for (const auto& [name, value] : values) {
        object[name] = value;
    }
    return object;
}

Attachment to_attachment(NamedArray array) {
    if (array.file != nullptr) {
        return {"", {}, std::move(array.file)};
    }
    return {npy_header(array.descr, array.shape), std::move(array.bytes)};
}

ordered_json to_json(const std::vector<GuardViolation>& guards) {
    ordered_json list = ordered_json::array();
    for (const GuardViolation& each : guards) {
        list.push_back(
            {{"name", each.name}, {"side", each.side}, {"bytes", each.bytes}, {"offset_bytes", each.offset_bytes}});
    }
    return list;
}

ordered_json to_json(const driver::KernelAttributes& kernel) {
    return {{"registers", kernel.registers},     {"static_shared_bytes", kernel.static_shared_bytes},
            {"local_bytes", kernel.local_bytes}, {"constant_bytes", kernel.constant_bytes},
            {"max_threads", kernel.max_threads}, {"binary_version", kernel.binary_version}};
}

ordered_json to_json(const BlockReply& block) {
    return {{"samples_us", block.samples_us},      {"sm_mhz", or_null(block.sm_mhz)},
            {"throttle", or_null(block.throttle)}, {"temperature_c", or_null(block.temperature_c)},
            {"power_w", or_null(block.power_w)},   {"blocker", block.blocker}};
}

Reply error_reply(const char* kind, const char* message) {
    Reply reply;
    reply.body["error"] = {{"kind", kind}, {"message", message}};
    return reply;
}

}  // namespace

ordered_json to_json(const driver::DeviceInfo& device) {
    ordered_json attributes = ordered_json::object();
    for (const auto& [name, value] : device.attributes) {
        attributes[name] = or_null(value);
    }
    return {{"name", device.name},
            {"uuid", device.uuid},
            {"pci_bus_id", device.pci_bus_id},
            {"compute_capability", device.compute_capability},
            {"total_memory_bytes", device.total_memory_bytes},
            {"attributes", std::move(attributes)}};
}

ordered_json to_json(const std::map<std::string, std::optional<std::string>>& capabilities) {
    ordered_json object = ordered_json::object();
    for (const auto& [name, reason] : capabilities) {
        object[name] = reason ? ordered_json(*reason) : ordered_json(true);
    }
    return object;
}

Reply to_reply(const HelloReply& hello) {
    Reply reply;
    reply.body = {{"nonce", hello.nonce},
                  {"harness", harness_version},
                  {"build", build_hash},
                  {"driver_version", hello.driver_version}};
    reply.body.update(to_json(hello.device));
    reply.body["capabilities"] = to_json(hello.capabilities);
    return reply;
}

Reply to_reply(const OpenReply& open) {
    Reply reply;
    reply.body = {{"free_memory_bytes", open.free_memory_bytes}, {"seconds", open.seconds}};
    return reply;
}

Reply to_reply(const LoadReply& load) {
    Reply reply;
    ordered_json kernels = ordered_json::object();
    for (const auto& [symbol, kernel] : load.kernels) {
        kernels[symbol] = to_json(kernel);
    }
    reply.body["kernels"] = std::move(kernels);
    return reply;
}

Reply to_reply(RunReply run) {
    Reply reply;
    ordered_json outputs = ordered_json::array();
    for (NamedArray& output : run.outputs) {
        outputs.push_back(output.name);
        reply.attachments.push_back(to_attachment(std::move(output)));
    }
    ordered_json modified = ordered_json::array();
    for (const ModifiedInput& each : run.modified) {
        modified.push_back({{"name", each.name}, {"bytes", each.bytes}, {"first_byte", each.first_byte}});
    }
    reply.body = {
        {"seconds", run.seconds},        {"device_us", or_null(run.device_us)},
        {"outputs", std::move(outputs)}, {"modified", std::move(modified)},
        {"guards", to_json(run.guards)}, {"pages", run.no_pages ? ordered_json(*run.no_pages) : ordered_json(true)}};
    return reply;
}

Reply to_reply(TimeReply time) {
    Reply reply;
    ordered_json blocks = ordered_json::array();
    for (const BlockReply& block : time.blocks) {
        blocks.push_back(to_json(block));
    }
    ordered_json kept = ordered_json::array();
    for (KeptOutput& each : time.kept) {
        kept.push_back({{"block", each.block}, {"launch", each.launch}, {"name", each.output.name}});
        reply.attachments.push_back(to_attachment(std::move(each.output)));
    }
    reply.body = {{"blocks", std::move(blocks)},
                  {"kept", std::move(kept)},
                  {"sets", time.sets},
                  {"flush_bytes", time.flush_bytes},
                  {"guards", to_json(time.guards)},
                  {"truncated", time.truncated},
                  {"free_memory_bytes", time.free_memory_bytes},
                  {"unavailable", object_of(time.unavailable)}};
    return reply;
}

Reply to_reply(const CandidateFault& fault) {
    const bool reported = !fault.call.empty();
    Reply reply;
    reply.body["fault"] = {{"kind", fault.kind},
                           {"message", fault.what()},
                           {"call", text_or_null(fault.call)},
                           {"code", reported ? ordered_json(fault.code) : ordered_json(nullptr)},
                           {"name", text_or_null(fault.code_name)},
                           {"launch", or_null(fault.launch)},
                           {"entry", text_or_null(fault.entry)}};
    reply.body["fatal"] = fault.fatal;
    return reply;
}

Reply to_reply(const RequestError& error) { return error_reply("request", error.what()); }

Reply to_reply(const MemoryShortage& error) {
    Reply reply = error_reply("memory", error.what());
    reply.body["error"]["needed_bytes"] = error.needed_bytes;
    reply.body["error"]["free_bytes"] = error.free_bytes;
    return reply;
}

Reply to_reply(const driver::DriverError& error) {
    const bool memory = error.code() == driver::out_of_memory;
    Reply reply = error_reply(memory ? "memory" : "driver", error.what());
    reply.body["error"]["call"] = error.call();
    reply.body["error"]["code"] = error.code();
    reply.body["error"]["name"] = error.name();
    if (memory) {
        reply.body["error"]["needed_bytes"] = nullptr;
        reply.body["error"]["free_bytes"] = nullptr;
    }
    return reply;
}

}  // namespace warpwright
