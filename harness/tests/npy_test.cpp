#include "protocol/npy.hpp"

#include <string>

#include "doctest/doctest.h"
#include "protocol/faults.hpp"

using namespace warpwright;

namespace {

// A stream whose header text is given as it stands.
Bytes stream_of(const std::string& text, std::size_t payload, unsigned char major = 1) {
    Bytes stream{0x93, 'N', 'U', 'M', 'P', 'Y', major, 0};
    const std::size_t length = text.size();
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
        stream.push_back(static_cast<unsigned char>(length >> (8 * i) & 255));
    }
    stream.insert(stream.end(), text.begin(), text.end());
    stream.resize(stream.size() + payload, 7);
    return stream;
}

std::string refusal(const Bytes& stream) {
    try {
        (void)parse_npy(stream, "x");
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("what is written is read back") {
    struct Row {
        std::string descr;
        std::vector<std::size_t> shape;
        std::size_t bytes;
    };
    for (const Row& row : {Row{"<f4", {}, 4}, Row{"<f8", {3}, 24}, Row{"|u1", {0, 5}, 0}, Row{"<V2", {2, 3, 4}, 48},
                           Row{"|b1", {1}, 1}, Row{"<c16", {2}, 32}}) {
        CAPTURE(row.descr);
        const std::string text = npy_header(row.descr, row.shape);
        CHECK(text.size() % 64 == 0);
        Bytes stream(text.begin(), text.end());
        stream.resize(stream.size() + row.bytes, 9);
        const NpyHeader header = parse_npy(stream, "x");
        CHECK(header.descr == row.descr);
        CHECK(header.shape == row.shape);
        CHECK(npy_payload(stream, header) == Bytes(row.bytes, 9));
    }
}

TEST_CASE("headers as NumPy writes them, in both versions and any order of keys") {
    const NpyHeader first =
        parse_npy(stream_of("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }   \n", 24), "x");
    CHECK(first.shape == std::vector<std::size_t>{2, 3});
    const NpyHeader second =
        parse_npy(stream_of("{\"shape\": (2,), \"fortran_order\": False, \"descr\": \"<V2\"}\n", 4, 2), "x");
    CHECK(second.descr == "<V2");
    CHECK(second.shape == std::vector<std::size_t>{2});
}

TEST_CASE("what is no stream of this kind is refused with its reason") {
    const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
    CHECK(refusal(stream_of(good, 8)) == "accepted");
    CHECK(refusal({}) == "x: not a .npy stream");
    CHECK(refusal(Bytes(100, 'N')) == "x: not a .npy stream");
    CHECK(refusal(stream_of(good, 8, 3)) == "x: .npy version 3; allowed: 1 and 2");
    CHECK(refusal(stream_of(good, 7)) == "x: the .npy payload has 7 bytes; type and shape ask for 8");
    CHECK(refusal(stream_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", 8)) ==
          "x: .npy in Fortran order; allowed: C order (numpy.ascontiguousarray)");
    CHECK(refusal(stream_of("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", 8)) ==
          "x: element type >f4; allowed: little-endian numbers such as <f4, <i8, |u1, |b1, and <V2 for bfloat16");
    Bytes cut = stream_of(good, 0);
    cut.resize(cut.size() - 4);
    CHECK(refusal(cut) == "x: the .npy stream ends within its header");
}

TEST_CASE("malformed headers are refused, not guessed at") {
    for (const std::string text :
         {"", "{}", "{'descr': '<f4', 'fortran_order': False}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "{'descr': [('a', '<f4')]}",
          "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False}", "{'descr': '<f4', 'shape': (-2,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} trailing"}) {
        CAPTURE(text);
        CHECK(refusal(stream_of(text, 8)).find("x: the .npy header is malformed") == 0);
    }
}

TEST_CASE("element types") {
    CHECK(item_bytes("<f2", "x") == 2);
    CHECK(item_bytes("|V1", "x") == 1);
    for (const std::string descr : {"", "<f", "f4", "<O8", "<f0", "<f32", "|f4", "<fx", "<i44x"}) {
        CAPTURE(descr);
        CHECK_THROWS_AS((void)item_bytes(descr, "x"), RequestError);
    }
    CHECK_THROWS_AS((void)item_bytes("<U4", "x"), RequestError);
}

TEST_CASE("a shape that no memory can hold is refused; one with a zero is empty") {
    CHECK(element_count({std::size_t{1} << 40, 0, std::size_t{1} << 40}, 4, "x") == 0);
    CHECK_THROWS_AS((void)element_count({std::size_t{1} << 40, std::size_t{1} << 40}, 4, "x"), RequestError);
}
