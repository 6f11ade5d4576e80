// Messages over a pair of descriptors: one JSON object per line, then the bytes that it announces in `npy_bytes`, but
// for those attachments that lie in the exchange folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "protocol/descriptors.hpp"
#include "protocol/exchange.hpp"
#include "protocol/faults.hpp"
#include "protocol/requests.hpp"

namespace warpwright {

// A request. body: the object without `id`, `op`, `npy_bytes` and `npy_files`.
struct Request {
    std::int64_t id = 0;
    std::string op;
    nlohmann::json body;
    std::vector<HostBytes> attachments;
};

// One .npy stream on its way out, in two parts so that large arrays are not copied; or a file of the exchange folder
// that holds both. Copies share it.
struct Attachment {
    std::string header;
    HostBytes payload;
    std::shared_ptr<OutgoingFile> file = nullptr;
};

// Reads requests, writes replies.
class Channel {
public:
    // exchange: must outlive this; null where there is no exchange folder.
    Channel(Descriptor in, Descriptor out, const Exchange* exchange = nullptr);

    // The next request; none at the end of input. Throws ProtocolError.
    [[nodiscard]] std::optional<Request> read();

    // `npy_bytes` and `npy_files` are added for the attachments. Throws std::system_error: the reader has gone.
    void write(nlohmann::ordered_json reply, const std::vector<Attachment>& attachments);

private:
    [[nodiscard]] bool fill();
    [[nodiscard]] std::optional<std::string> read_line();
    [[nodiscard]] HostBytes read_bytes(std::size_t count);
    [[nodiscard]] HostBytes take_file(const std::string& name, std::size_t count) const;

    Descriptor in_;
    Descriptor out_;
    const Exchange* exchange_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;  // buffer_[begin_, end_) has been read ahead
    std::size_t end_ = 0;
};

}  // namespace warpwright
