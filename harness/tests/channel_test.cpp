#include "protocol/channel.hpp"

#include <string>

#include "doctest/doctest.h"
#include "scratch_folder.hpp"

using namespace warpwright;
using tests::ScratchFolder;

namespace {

std::string refusal(const std::string& input) {
    const ScratchFolder folder;
    Channel channel = folder.channel(input);
    try {
        while (channel.read()) {
        }
    } catch (const ProtocolError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("requests come with their attachments, whatever bytes these have") {
    const ScratchFolder folder;
    const std::string bulk = std::string("\n{\"id\": 9}\n") + '\0' + "\xff\r\n";
    const std::string large(300000, 'x');
    Channel channel = folder.channel("{\"id\": 1, \"op\": \"load\", \"a\": 2, \"npy_bytes\": [" +
                                     std::to_string(bulk.size()) + ", 0, " + std::to_string(large.size()) + "]}\n" +
                                     bulk + large + "{\"id\": 2, \"op\": \"bye\"}\r\n");
    const std::optional<Request> first = channel.read();
    REQUIRE(first.has_value());
    CHECK(first->id == 1);
    CHECK(first->op == "load");
    CHECK(first->body == nlohmann::json{{"a", 2}});
    REQUIRE(first->attachments.size() == 3);
    CHECK(first->attachments[0] == HostBytes(Bytes(bulk.begin(), bulk.end())));
    CHECK(first->attachments[1].empty());
    CHECK(first->attachments[2] == HostBytes(Bytes(large.begin(), large.end())));
    CHECK(channel.read()->id == 2);
    CHECK_FALSE(channel.read().has_value());
    CHECK_FALSE(channel.read().has_value());
}

TEST_CASE("what is no request ends the conversation") {
    CHECK(refusal("") == "accepted");
    CHECK(refusal("hello\n") == "a request is one JSON object per line; this is none: hello");
    CHECK(refusal("[1]\n") == "a request is one JSON object per line; this is none: [1]");
    CHECK(refusal("{\"id\": NaN}\n") == "a request is one JSON object per line; this is none: {\"id\": NaN}");
    CHECK(refusal("{\"op\": \"bye\"}\n") == "id is null; allowed: an integer. In: {\"op\": \"bye\"}");
    CHECK(refusal("{\"id\": 1.5}\n") == "id is 1.5; allowed: an integer. In: {\"id\": 1.5}");
    CHECK(refusal("{\"id\": 1, \"npy_bytes\": 3}\n") == "npy_bytes is 3; allowed: an array of byte counts");
    CHECK(refusal("{\"id\": 1, \"npy_bytes\": [-3]}\n") == "npy_bytes holds -3; allowed: byte counts");
    CHECK(refusal("{\"id\": 1, \"npy_bytes\": [4], \"npy_files\": []}\n") ==
          "npy_files is []; allowed: an array as long as npy_bytes");
    CHECK(refusal("{\"id\": 1, \"npy_bytes\": [4], \"npy_files\": [\"\"]}\n") ==
          "npy_files holds \"\"; allowed: names of files, and null");
    CHECK(refusal("{\"id\": 1, \"npy_bytes\": [4], \"npy_files\": [\"a.npy\"]}\n") ==
          "npy_files names a.npy, and there is no exchange folder");
    CHECK(refusal("{\"id\": 1}") == "the input ended within a request: {\"id\": 1}");
    CHECK(refusal("{\"id\": 1, \"npy_bytes\": [4]}\nabc") == "the input ended within an attachment: 3 of 4 bytes came");
    CHECK(refusal("{\"id\": 1, \"npy_bytes\": [18446744073709551615]}\n") ==
          "an attachment of 18446744073709551615 bytes does not fit in host memory");
}

TEST_CASE("replies announce their attachments") {
    const ScratchFolder folder;
    {
        Channel channel = folder.channel("");
        channel.write({{"id", 1}}, {{"head", Bytes{'b', '\n'}}, {"", {}}});
        channel.write({{"id", 2}}, {});
    }
    CHECK(folder.text("out") == "{\"id\":1,\"npy_bytes\":[6,0]}\nheadb\n{\"id\":2}\n");
}

TEST_CASE("text of the driver that is not UTF-8 does not break a reply") {
    const ScratchFolder folder;
    {
        Channel channel = folder.channel("");
        channel.write({{"name", "a\xff"}}, {});
    }
    CHECK(folder.text("out") == "{\"name\":\"a\xef\xbf\xbd\"}\n");
}
