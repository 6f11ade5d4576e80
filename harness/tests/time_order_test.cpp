// In which order a block queues what it queues.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "time_schedule.hpp"

using namespace warpwright;
using namespace warpwright::tests;

namespace {

// An argument of 8 bytes as the stand-in logs it: hex, least byte first.
std::uint64_t number(const std::string& hex) {
    std::uint64_t value = 0;
    for (std::size_t byte = 8; byte-- > 0;) {
        value = value << 8 | std::stoul(hex.substr(2 * byte, 2), nullptr, 16);
    }
    return value;
}

}  // namespace

TEST_CASE("a flush stands before the start event of each launch, the stream is held while a block is queued") {
    LoggedMachine gpu("scale", "");
    static_cast<void>(gpu.time(scale_schedule({10, 10})));
    std::vector<std::string> order;
    std::size_t held = 0;
    for (const nlohmann::json& line : gpu.log()) {
        if (line["op"] == "launch") {
            order.push_back(line["kernel"].get<std::string>());
        } else if (line["op"] == "event") {
            order.emplace_back("event");
        } else if (line["op"] == "unblocked") {
            CHECK_FALSE(line["timed_out"].get<bool>());
            held = line["waiting"].get<std::size_t>();
            CHECK(held <= 100);
        }
    }
    CHECK(held >= 50);  // 5 of 10 units of 10 entries
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] == "scale") {
            CHECK(order[i - 1] == "event");
            CHECK(order[i - 2] == "ww_read");
            CHECK(order[i - 3] == "ww_flush_write");
            CHECK(order[i + 1] == "event");
        }
    }
}

TEST_CASE("inputs are made right before their launch, so that no launch can read those of a later one") {
    for (const bool cold : {true, false}) {
        CAPTURE(cold);
        LoggedMachine gpu("scale", "");
        TimeRequest request = scale_schedule({10, 10});
        request.cold = cold;
        static_cast<void>(gpu.time(request));
        std::size_t made = 0;
        bool filled = false;
        for (const nlohmann::json& line : gpu.log()) {
            const bool launch = line["op"] == "launch";
            if (launch && line["kernel"] == "ww_generate") {
                ++made;
            } else if (launch && line["kernel"] == "ww_fill_shared") {
                filled = true;
            } else if (launch && line["kernel"] == "scale") {
                CHECK(made == 2);  // one while warming up
                CHECK(filled);
                made = 1;
                filled = false;
            }
        }
    }
}

TEST_CASE(
    "a kept launch is read before the next one is queued, so that no launch can mend what another one left undone") {
    for (const bool held : {true, false}) {
        CAPTURE(held);
        LoggedMachine gpu("scale", "");
        TimeRequest request = scale_schedule({10, 10});
        request.sets = 3;
        request.blocker = held;
        for (const std::size_t launch : {0, 3, 4, 9}) {
            request.blocks[1].launches[launch].keep = true;
        }
        CHECK(gpu.time(request).kept.size() == 4);
        std::vector<std::size_t> read_after;
        std::size_t launches = 0;
        nlohmann::json output;
        for (const nlohmann::json& line : gpu.log()) {
            if (line["op"] == "launch" && line["kernel"] == "scale") {
                ++launches;
                output = line["outputs"][0];
            } else if (line["op"] == "copy_to_host" && line["bytes"] == timed_elements * sizeof(float)) {
                read_after.push_back(launches);
                CHECK(line["from"] == output["address"]);  // where it wrote, not a copy of it
            } else if (line["op"] == "unblocked" && held) {
                CHECK(line["waiting"] <= 100);
            }
        }
        CHECK(read_after == std::vector<std::size_t>{11, 14, 15, 20});
        CHECK(launches == 20);
    }
}

TEST_CASE("an input from a pool is compared with what was uploaded behind its copy and before its launch") {
    LoggedMachine gpu("scale", "");
    const TimeReply reply = gpu.time(pooled_schedule({10, 10}, 3));
    CHECK(reply.blocks[1].blocker == "on");
    std::vector<std::string> order;
    std::string summed;
    std::size_t checked = 0;
    for (const nlohmann::json& line : gpu.log()) {
        order.push_back(line["op"] == "launch" ? line["kernel"] : line["op"]);
        if (line["op"] == "copy_on_device") {
            order.clear();
        } else if (order.back() == "ww_seal_sum") {
            summed = line["arguments"][0];
        } else if (order.back() == "ww_seal_check") {
            CHECK(line["arguments"][1] != "0000000000000000");
        } else if (order.back() == "scale") {
            const std::vector<std::string> first(order.begin(), order.begin() + 3);
            CHECK(first == std::vector<std::string>{"fill", "ww_seal_sum", "ww_seal_check"});
            CHECK(summed == line["arguments"][1]);
            ++checked;
        } else if (line["op"] == "unblocked") {
            CHECK(line["waiting"] <= 100);
        }
    }
    CHECK(checked == 20);
}

TEST_CASE("memory of the harness in which a kernel could leave something is overwritten between blocks") {
    LoggedMachine gpu("scale", "");
    TimeRequest request = scale_schedule({4, 4});
    request.sets = 2;
    static_cast<void>(gpu.time(request));
    std::map<std::string, std::size_t> overwritten;
    for (const nlohmann::json& launch : gpu.launches("ww_flush_write")) {
        ++overwritten[launch["outputs"][0]["bytes"].dump()];
    }
    std::size_t arrays = 0;
    for (const nlohmann::json& line : gpu.log()) {
        arrays += line["op"] == "fill" && line["bytes"] == timed_elements * sizeof(float) ? 1U : 0U;
    }
    CHECK(arrays == 2 * 2 * 2 + 8);           // both arrays of both sets, and the output before each launch
    CHECK(overwritten["1048576"] == 2);       // the region that a flush reads
    CHECK(overwritten["67108864"] == 2 + 9);  // the one that it writes, and nine flushes
}

TEST_CASE(
    "cold: behind what fills it every array of the set loses the priority that a launch gave its lines, then L2 is "
    "flushed") {
    LoggedMachine gpu("scale", "");
    TimeRequest request = scale_schedule({10, 10});
    request.sets = 3;
    request.flushes = 2;
    request.arrays.push_back(request.arrays[1]);
    request.arrays.back().name = "kept";
    request.arrays.back().role = Role::scratch;
    request.arrays.back().count = 33;  // ends in the middle of a line
    request.arrays.back().shape = {33};
    const TimeReply reply = gpu.time(request);
    CHECK(reply.blocks[1].blocker == "on");
    std::vector<std::string> order;
    std::vector<std::uint64_t> lines;
    std::set<std::uint64_t> arrays;
    for (const nlohmann::json& line : gpu.log()) {
        if (line["op"] == "unblocked") {
            CHECK(line["waiting"] <= 100);
        } else if (line["op"] == "fill") {
            order.emplace_back("fill");
        } else if (line["op"] == "launch") {
            order.push_back(line["kernel"]);
            if (order.back() == "ww_demote") {
                arrays.insert(number(line["arguments"][0]));
                lines.push_back(number(line["arguments"][1]));
                CHECK(number(line["arguments"][0]) % 128 == 0);
            } else if (order.back() == "scale") {
                const std::vector<std::string> last(order.end() - 12, order.end());
                CHECK(last == std::vector<std::string>{"ww_generate", "fill", "fill", "ww_fill_shared", "ww_demote",
                                                       "ww_demote", "ww_demote", "ww_flush_write", "ww_read",
                                                       "ww_flush_write", "ww_read", "scale"});
                const std::vector<std::uint64_t> sizes(lines.end() - 3, lines.end());
                CHECK(sizes == std::vector<std::uint64_t>{32, 32, 2});
                CHECK(arrays.count(line["inputs"][0]["address"].get<std::uint64_t>()) == 1);
                CHECK(arrays.count(line["outputs"][0]["address"].get<std::uint64_t>()) == 1);
                arrays.clear();
            }
        }
    }
    CHECK(lines.size() == 3 * 20 + 1);  // one while warming up
}

TEST_CASE("cold: an array of no bytes has no lines") {
    LoggedMachine gpu("scale", "");
    TimeRequest request = scale_schedule({4});
    request.arrays.push_back(request.arrays[1]);
    request.arrays.back().name = "nothing";
    request.arrays.back().count = 0;
    request.arrays.back().shape = {0};
    static_cast<void>(gpu.time(request));
    CHECK(gpu.launches("ww_demote").size() == 2 * 4 + 1);
}

TEST_CASE("warm: inputs are read before each launch, nothing is flushed") {
    LoggedMachine gpu("scale", "");
    TimeRequest request = scale_schedule({10});
    request.cold = false;
    const TimeReply reply = gpu.time(request);
    CHECK(reply.flush_bytes == 0);
    CHECK(gpu.launches("ww_flush_write").size() == 3);  // while warming up, and before the block
    CHECK(gpu.launches("ww_read").size() == 11);
    CHECK(gpu.launches("ww_demote").size() == 1);  // while warming up
}
