#include "protocol/exchange.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "doctest/doctest.h"
#include "driver/error.hpp"
#include "memory/device_buffer.hpp"
#include "memory/read_back.hpp"
#include "protocol/npy.hpp"
#include "scratch_folder.hpp"
#include "standin_machine.hpp"

using namespace warpwright;
using tests::ScratchFolder;

#ifdef __linux__

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

namespace {

std::string refusal(const Exchange& exchange, const std::string& name, std::size_t bytes) {
    try {
        (void)exchange.take(name, bytes);
    } catch (const ProtocolError& error) {
        return error.what();
    }
    return "accepted";
}

// Lowers how large files may become while it lives.
class FileLimit {
public:
    explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit lowered{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &lowered);
    }
    ~FileLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int);
};

}  // namespace

TEST_CASE("a file that is taken is gone, and its bytes stay") {
    const ScratchFolder folder;
    const Exchange exchange(folder.path());
    folder.write("a.npy", "abc");
    const HostBytes bytes = exchange.take("a.npy", 3);
    CHECK(folder.is_empty());
    CHECK(bytes == HostBytes(Bytes{'a', 'b', 'c'}));
    CHECK(bytes.without_front(2) == HostBytes(Bytes{'c'}));
}

TEST_CASE("names lead to plain files of the folder only, of the size that was said") {
    const ScratchFolder folder;
    const Exchange exchange(folder.path());
    folder.write("short", "abc");
    folder.write("empty", "");
    std::filesystem::create_symlink(folder.file("short"), folder.file("link"));
    REQUIRE(mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    for (const char* name : {"", "../a", "a/b", "/etc/passwd", ".hidden", "a\\b", "a b"}) {
        CHECK(refusal(exchange, name, 3).find("allowed: letters") != std::string::npos);
    }
    CHECK(refusal(exchange, std::string(65, 'a'), 3).find("allowed: letters") != std::string::npos);
    CHECK(refusal(exchange, "absent", 3).find("cannot be read") != std::string::npos);
    CHECK(refusal(exchange, "link", 3).find("cannot be read") != std::string::npos);
    CHECK(refusal(exchange, "pipe", 3).find("no file of the 3 bytes") != std::string::npos);
    CHECK(refusal(exchange, "short", 4).find("no file of the 4 bytes") != std::string::npos);
    CHECK(refusal(exchange, "empty", 0).find("no file of the 0 bytes") != std::string::npos);
}

TEST_CASE("a file stays only if it was handed over") {
    const ScratchFolder folder;
    Exchange exchange(folder.path());
    {
        const std::unique_ptr<OutgoingFile> kept = exchange.create();
        const std::unique_ptr<OutgoingFile> forgotten = exchange.create();
        CHECK(kept->name() != forgotten->name());
        REQUIRE(kept->append("ab", 2));
        REQUIRE(kept->append("c", 1));
        CHECK(kept->bytes() == 3);
        kept->hand_over();
    }
    CHECK(exchange.take("reply-0.npy", 3) == HostBytes(Bytes{'a', 'b', 'c'}));
    CHECK(folder.is_empty());
}

TEST_CASE("large arrays go into files, and behind the line where there is no room") {
    const ScratchFolder folder;
    Exchange exchange(folder.path());
    tests::StandinMachine gpu("{}", {"scale"}, "kernel scale");
    const driver::Stream stream = gpu.machine().context.stream();
    const memory::Staging staging(gpu.api());
    const memory::ReplyArrays replies(gpu.api(), stream, staging, &exchange);
    ArraySpec array;
    array.name = "y";
    array.descr = "|u1";
    array.count = 2 * memory::Staging::capacity_bytes + 5;
    array.shape = {array.count};
    const memory::DeviceBuffer buffer(gpu.api(), array.count);
    WARPWRIGHT_CALL(gpu.api(), fill_bytes, buffer.address(), static_cast<unsigned char>(7), array.count, stream);

    const HostBytes expected(Bytes(array.count, 7));
    NamedArray shared = replies.read(array, buffer.address());
    REQUIRE(shared.file != nullptr);
    CHECK(shared.bytes.empty());
    shared.file->hand_over();
    const HostBytes stream_bytes = exchange.take(shared.file->name(), shared.file->bytes());
    const NpyHeader header = parse_npy(stream_bytes, "y");
    CHECK(header.shape == array.shape);
    CHECK(npy_payload(stream_bytes, header) == expected);
    {
        const FileLimit limit(memory::Staging::capacity_bytes + 1000);
        const NamedArray inlined = replies.read(array, buffer.address());
        CHECK(inlined.file == nullptr);
        CHECK(inlined.bytes == expected);
    }
    array.count = largest_inline_attachment;
    array.shape = {array.count};
    CHECK(replies.read(array, buffer.address()).file == nullptr);
    CHECK(folder.is_empty());
}

TEST_CASE("messages name the files of their attachments") {
    const ScratchFolder folder;
    const ScratchFolder shared;
    Exchange exchange(shared.path());
    shared.write("request-0.npy", "xyz");
    {
        Channel channel = folder.channel(
            "{\"id\": 1, \"npy_bytes\": [2, 3, 1], \"npy_files\": [null, \"request-0.npy\", null]}\nabc", &exchange);
        const std::optional<Request> request = channel.read();
        REQUIRE(request.has_value());
        CHECK(request->body.empty());
        REQUIRE(request->attachments.size() == 3);
        CHECK(request->attachments[0] == HostBytes(Bytes{'a', 'b'}));
        CHECK(request->attachments[1] == HostBytes(Bytes{'x', 'y', 'z'}));
        CHECK(request->attachments[2] == HostBytes(Bytes{'c'}));
        const std::shared_ptr<OutgoingFile> file = exchange.create();
        REQUIRE(file->append("reply", 5));
        channel.write({{"id", 1}}, {{"", {}, file}, {"h", Bytes{'b'}}});
    }
    CHECK(folder.text("out") == "{\"id\":1,\"npy_bytes\":[5,2],\"npy_files\":[\"reply-0.npy\",null]}\nhb");
    CHECK(shared.text("reply-0.npy") == "reply");
}

#endif

TEST_CASE("a folder that is none cannot be used") { CHECK_THROWS_AS(Exchange("/no/such/folder"), std::system_error); }
