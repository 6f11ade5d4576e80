#include "protocol/channel.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "doctest/doctest.h"

using namespace warpwright;

namespace {

// Files in a folder that is removed afterwards.
class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("warpwright-channel-test-" + std::to_string(serial++))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

    [[nodiscard]] std::string text(const char* name) const {
        std::ostringstream all;
        all << std::ifstream(file(name), std::ios::binary).rdbuf();
        return all.str();
    }

    Channel channel(const std::string& input) const {
        std::ofstream(file("in"), std::ios::binary) << input;
        return {open_to_read(file("in")), open_to_write(file("out"))};
    }

private:
    static inline int serial = 0;
    std::filesystem::path path_;
};

std::string refusal(const std::string& input) {
    const Folder folder;
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
    const Folder folder;
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
    CHECK(first->attachments[0] == Bytes(bulk.begin(), bulk.end()));
    CHECK(first->attachments[1].empty());
    CHECK(first->attachments[2] == Bytes(large.begin(), large.end()));
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
    CHECK(refusal("{\"id\": 1}") == "the input ended within a request: {\"id\": 1}");
    CHECK(refusal("{\"id\": 1, \"npy_bytes\": [4]}\nabc") == "the input ended within an attachment: 3 of 4 bytes came");
    CHECK(refusal("{\"id\": 1, \"npy_bytes\": [18446744073709551615]}\n") ==
          "an attachment of 18446744073709551615 bytes does not fit in host memory");
}

TEST_CASE("replies announce their attachments; the log has every line and no bulk data") {
    const Folder folder;
    {
        Channel channel = folder.channel("{\"id\": 1, \"npy_bytes\": [3]}\nabc");
        channel.log_to(open_to_write(folder.file("log")));
        (void)channel.read();
        channel.write({{"id", 1}}, {{"head", {'b', '\n'}}, {"", {}}});
        channel.write({{"id", 2}}, {});
    }
    CHECK(folder.text("out") == "{\"id\":1,\"npy_bytes\":[6,0]}\nheadb\n{\"id\":2}\n");
    CHECK(folder.text("log") == "> {\"id\": 1, \"npy_bytes\": [3]}\n< {\"id\":1,\"npy_bytes\":[6,0]}\n< {\"id\":2}\n");
}

TEST_CASE("text of the driver that is not UTF-8 does not break a reply") {
    const Folder folder;
    {
        Channel channel = folder.channel("");
        channel.write({{"name", "a\xff"}}, {});
    }
    CHECK(folder.text("out") == "{\"name\":\"a\xef\xbf\xbd\"}\n");
}
