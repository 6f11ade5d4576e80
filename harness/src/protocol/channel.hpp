// Messages over a pair of descriptors: one JSON object per line, then the bytes that it announces in `npy_bytes`.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "protocol/descriptors.hpp"
#include "protocol/requests.hpp"

namespace warpwright {

// What came is no request, and nothing after it can be understood. The process exits with 64.
struct ProtocolError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A request. body: the object without `id`, `op` and `npy_bytes`.
struct Request {
    std::int64_t id = 0;
    std::string op;
    nlohmann::json body;
    std::vector<Bytes> attachments;
};

// One .npy stream on its way out, in two parts so that large arrays are not copied.
struct Attachment {
    std::string header;
    Bytes payload;
};

// Reads requests, writes replies; logs both where asked to.
class Channel {
public:
    Channel(Descriptor in, Descriptor out);

    // Appends every request line as "> LINE" and every reply line as "< LINE".
    void log_to(Descriptor file) { log_.emplace(std::move(file)); }

    // The next request; none at the end of input. Throws ProtocolError.
    [[nodiscard]] std::optional<Request> read();

    // `npy_bytes` is added for the attachments. Throws std::system_error: the reader has gone.
    void write(nlohmann::ordered_json reply, const std::vector<Attachment>& attachments);

private:
    [[nodiscard]] bool fill();
    [[nodiscard]] std::optional<std::string> read_line();
    [[nodiscard]] Bytes read_bytes(std::size_t count);
    void log(char direction, const std::string& line) const;

    Descriptor in_;
    Descriptor out_;
    std::optional<Descriptor> log_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;  // buffer_[begin_, end_) has been read ahead
    std::size_t end_ = 0;
};

}  // namespace warpwright
