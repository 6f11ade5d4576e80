#include "protocol/channel.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace warpwright {
namespace {

using nlohmann::json;

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
constexpr std::size_t longest_line = std::size_t{1} << 30;

// The first characters of what came: enough to recognise it.
std::string excerpt(const std::string& line) { return line.size() <= 80 ? line : line.substr(0, 80) + "..."; }

json parse_object(const std::string& line) {
    json object = json::parse(line, nullptr, false);
    if (!object.is_object()) {
        throw ProtocolError("a request is one JSON object per line; this is none: " + excerpt(line));
    }
    return object;
}

json take(json& object, const char* field) {
    json value;
    const auto found = object.find(field);
    if (found != object.end()) {
        value = std::move(*found);
        object.erase(found);
    }
    return value;
}

std::vector<std::size_t> attachment_sizes(const json& value) {
    std::vector<std::size_t> sizes;
    if (value.is_null()) {
        return sizes;
    }
    if (!value.is_array()) {
        throw ProtocolError("npy_bytes is " + excerpt(value.dump()) + "; allowed: an array of byte counts");
    }
    for (const json& size : value) {
        if (!size.is_number_unsigned()) {
            throw ProtocolError("npy_bytes holds " + excerpt(size.dump()) + "; allowed: byte counts");
        }
        sizes.push_back(size.get<std::size_t>());
    }
    return sizes;
}

// Names in the exchange folder; an empty one: the attachment follows the line.
std::vector<std::string> attachment_files(const json& value, std::size_t count) {
    std::vector<std::string> files(count);
    if (value.is_null()) {
        return files;
    }
    if (!value.is_array() || value.size() != count) {
        throw ProtocolError("npy_files is " + excerpt(value.dump()) + "; allowed: an array as long as npy_bytes");
    }
    for (std::size_t i = 0; i < count; ++i) {
        const json& name = value[i];
        if (!name.is_null() && (!name.is_string() || name.get_ref<const std::string&>().empty())) {
            throw ProtocolError("npy_files holds " + excerpt(name.dump()) + "; allowed: names of files, and null");
        }
        files[i] = name.is_null() ? std::string() : name.get<std::string>();
    }
    return files;
}

// Files are the other side's from here on.
void announce(nlohmann::ordered_json& reply, const std::vector<Attachment>& attachments) {
    nlohmann::ordered_json sizes = nlohmann::ordered_json::array();
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    bool shared = false;
    for (const Attachment& each : attachments) {
        if (each.file == nullptr) {
            sizes.push_back(each.header.size() + each.payload.size());
            files.push_back(nullptr);
            continue;
        }
        sizes.push_back(each.file->bytes());
        files.push_back(each.file->name());
        each.file->hand_over();
        shared = true;
    }
    if (!attachments.empty()) {
        reply["npy_bytes"] = std::move(sizes);
    }
    if (shared) {
        reply["npy_files"] = std::move(files);
    }
}

}  // namespace

Channel::Channel(Descriptor in, Descriptor out, const Exchange* exchange)
    : in_(std::move(in)), out_(std::move(out)), exchange_(exchange), buffer_(buffer_bytes) {}

std::optional<Request> Channel::read() {
    const std::optional<std::string> line = read_line();
    if (!line) {
        return std::nullopt;
    }
    Request request;
    request.body = parse_object(*line);
    const json id = take(request.body, "id");
    if (!id.is_number_integer()) {
        throw ProtocolError("id is " + excerpt(id.dump()) + "; allowed: an integer. In: " + excerpt(*line));
    }
    request.id = id.get<std::int64_t>();
    const json op = take(request.body, "op");
    request.op = op.is_string() ? op.get<std::string>() : std::string();
    const std::vector<std::size_t> sizes = attachment_sizes(take(request.body, "npy_bytes"));
    const std::vector<std::string> files = attachment_files(take(request.body, "npy_files"), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        request.attachments.push_back(files[i].empty() ? read_bytes(sizes[i]) : take_file(files[i], sizes[i]));
    }
    return request;
}

void Channel::write(nlohmann::ordered_json reply, const std::vector<Attachment>& attachments) {
    announce(reply, attachments);
    // A driver's text need not be UTF-8: what is not becomes U+FFFD.
    std::string line = reply.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    line += '\n';
    out_.write_all(line.data(), line.size());
    for (const Attachment& each : attachments) {
        if (each.file != nullptr) {
            continue;
        }
        out_.write_all(each.header.data(), each.header.size());
        out_.write_all(each.payload.data(), each.payload.size());
    }
}

bool Channel::fill() {
    begin_ = 0;
    end_ = in_.read_some(buffer_.data(), buffer_.size());
    return end_ > 0;
}

std::optional<std::string> Channel::read_line() {
    std::string line;
    while (begin_ < end_ || fill()) {
        const char* const from = buffer_.data() + begin_;
        const void* const newline = std::memchr(from, '\n', end_ - begin_);
        const std::size_t count =
            newline == nullptr ? end_ - begin_ : static_cast<std::size_t>(static_cast<const char*>(newline) - from);
        line.append(from, count);
        begin_ += count;
        if (newline != nullptr) {
            ++begin_;
            return line;
        }
        if (line.size() > longest_line) {
            throw ProtocolError("a request line is longer than 1 GiB; bulk data belongs into attachments");
        }
    }
    if (!line.empty()) {
        throw ProtocolError("the input ended within a request: " + excerpt(line));
    }
    return std::nullopt;
}

HostBytes Channel::read_bytes(std::size_t count) {
    HostBytes bytes;
    try {
        bytes = HostBytes(count);
    } catch (const std::bad_alloc&) {
        throw ProtocolError("an attachment of " + std::to_string(count) + " bytes does not fit in host memory");
    }
    std::size_t have = std::min(count, end_ - begin_);
    if (have > 0) {
        std::memcpy(bytes.data(), buffer_.data() + begin_, have);
        begin_ += have;
    }
    while (have < count) {
        const std::size_t more = in_.read_some(bytes.data() + have, count - have);
        if (more == 0) {
            throw ProtocolError("the input ended within an attachment: " + std::to_string(have) + " of " +
                                std::to_string(count) + " bytes came");
        }
        have += more;
    }
    return bytes;
}

HostBytes Channel::take_file(const std::string& name, std::size_t count) const {
    if (exchange_ == nullptr) {
        throw ProtocolError("npy_files names " + name + ", and there is no exchange folder");
    }
    return exchange_->take(name, count);
}

}  // namespace warpwright
