#include "protocol/npy.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string_view>

#include "protocol/faults.hpp"

namespace warpwright {
namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t alignment = 64;  // NumPy pads headers to this, so that payloads can be mapped

// Reads the header's Python dictionary from front to back; it has three keys, in any order.
class HeaderText {
public:
    HeaderText(std::string_view text, const std::string& where) : text_(text), where_(where) {}

    NpyHeader parse() {
        NpyHeader header;
        int seen = 0;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            seen += value(key, header);
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (at_ != text_.size() || seen != 7) {
            fail();
        }
        return header;
    }

private:
    // 1, 2, 4: which key this was.
    int value(const std::string& key, NpyHeader& header) {
        if (key == "descr") {
            header.descr = quoted();
            return 1;
        }
        if (key == "fortran_order") {
            if (!accept_word("False")) {
                throw RequestError(where_ + ": .npy in Fortran order; allowed: C order (numpy.ascontiguousarray)");
            }
            return 2;
        }
        if (key != "shape") {
            fail();
        }
        expect('(');
        while (!accept(')')) {
            header.shape.push_back(number());
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return 4;
    }

    void skip_space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        }
    }

    bool accept(char wanted) {
        skip_space();
        if (at_ < text_.size() && text_[at_] == wanted) {
            ++at_;
            return true;
        }
        return false;
    }

    void expect(char wanted) {
        if (!accept(wanted)) {
            fail();
        }
    }

    bool accept_word(std::string_view word) {
        skip_space();
        if (text_.substr(at_, word.size()) != word) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    std::string quoted() {
        skip_space();
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        const std::size_t close = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
        if (close == std::string_view::npos) {
            fail();
        }
        const std::string found(text_.substr(at_ + 1, close - at_ - 1));
        at_ = close + 1;
        return found;
    }

    std::size_t number() {
        skip_space();
        const std::size_t begin = at_;
        std::size_t value = 0;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && at_ - begin < 18) {
            value = value * 10 + static_cast<std::size_t>(text_[at_++] - '0');
        }
        if (at_ == begin) {
            fail();
        }
        return value;
    }

    [[noreturn]] void fail() const {
        throw RequestError(where_ + ": the .npy header is malformed at character " + std::to_string(at_) + ": " +
                           std::string(text_.substr(0, 120)));
    }

    std::string_view text_;
    const std::string& where_;
    std::size_t at_ = 0;
};

}  // namespace

std::size_t item_bytes(const std::string& descr, const std::string& where) {
    const bool shaped = descr.size() >= 3 && descr.size() <= 4 && std::isdigit(static_cast<unsigned char>(descr[2])) &&
                        (descr.size() == 3 || std::isdigit(static_cast<unsigned char>(descr[3])));
    const std::string_view kinds = "biufcV";
    if (shaped && (descr[0] == '<' || descr[0] == '|') && kinds.find(descr[1]) != std::string_view::npos) {
        const std::size_t bytes = std::stoul(descr.substr(2));
        if ((descr[0] == '<' || bytes == 1 || descr[1] == 'V') && bytes >= 1 && bytes <= 16) {
            return bytes;
        }
    }
    throw RequestError(where + ": element type " + descr +
                       "; allowed: little-endian numbers such as <f4, <i8, |u1, |b1, and <V2 for bfloat16");
}

std::size_t element_count(const std::vector<std::size_t>& shape, std::size_t item, const std::string& where) {
    if (std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end()) {
        return 0;
    }
    constexpr std::size_t limit = std::numeric_limits<std::size_t>::max() / 2;
    std::size_t count = 1;
    for (const std::size_t extent : shape) {
        if (extent > limit / item / count) {
            throw RequestError(where + ": the shape has more bytes than 63 bits can count");
        }
        count *= extent;
    }
    return count;
}

NpyHeader parse_npy(const HostBytes& stream, const std::string& where) {
    if (stream.size() < 10 || !std::equal(magic.begin(), magic.end(), stream.begin(),
                                          [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; })) {
        throw RequestError(where + ": not a .npy stream");
    }
    const unsigned major = stream[6];
    if (major != 1 && major != 2) {
        throw RequestError(where + ": .npy version " + std::to_string(major) + "; allowed: 1 and 2");
    }
    const std::size_t begin = major == 1 ? 10 : 12;
    std::size_t length = stream[8] + stream[9] * std::size_t{256};
    if (major == 2 && stream.size() >= 12) {
        length += (stream[10] + stream[11] * std::size_t{256}) << 16;
    }
    if (stream.size() < begin || stream.size() - begin < length) {
        throw RequestError(where + ": the .npy stream ends within its header");
    }
    const std::string_view text(reinterpret_cast<const char*>(stream.data()) + begin, length);
    NpyHeader header = HeaderText(text, where).parse();
    header.header_bytes = begin + length;
    const std::size_t item = item_bytes(header.descr, where);
    const std::size_t wanted = element_count(header.shape, item, where) * item;
    if (stream.size() - header.header_bytes != wanted) {
        throw RequestError(where + ": the .npy payload has " + std::to_string(stream.size() - header.header_bytes) +
                           " bytes; type and shape ask for " + std::to_string(wanted));
    }
    return header;
}

HostBytes npy_payload(const HostBytes& stream, const NpyHeader& header) {
    return stream.without_front(header.header_bytes);
}

std::string npy_header(const std::string& descr, const std::vector<std::size_t>& shape) {
    std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        text += std::to_string(shape[i]) + (shape.size() == 1 ? "," : i + 1 < shape.size() ? ", " : "");
    }
    text += "), }";
    const std::size_t unpadded = magic.size() + 4 + text.size() + 1;
    text.append((alignment - unpadded % alignment) % alignment, ' ');
    text += '\n';
    std::string header(magic);
    header += '\x01';
    header += '\0';
    header += static_cast<char>(text.size() & 255);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
}

}  // namespace warpwright
