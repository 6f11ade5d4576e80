// Generated values: the same bits as NumPy's, by the golden file that the Python tests write and read too.
#include "generate.cuh"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "nlohmann/json.hpp"

namespace {

namespace generated = warpwright::generated;
using Bytes = std::vector<unsigned char>;

struct TypeRow {
    const char* name;
    std::size_t bytes;
};
// In the order of generated::Type.
constexpr std::array<TypeRow, 13> types{{{"float64", 8},
                                         {"float32", 4},
                                         {"float16", 2},
                                         {"bfloat16", 2},
                                         {"int8", 1},
                                         {"int16", 2},
                                         {"int32", 4},
                                         {"int64", 8},
                                         {"uint8", 1},
                                         {"uint16", 2},
                                         {"uint32", 4},
                                         {"uint64", 8},
                                         {"bool", 1}}};
constexpr std::array<const char*, 4> kinds{"normal", "uniform", "integers", "ones"};

generated::u32 type_number(const std::string& name) {
    const auto* found = std::find_if(types.begin(), types.end(), [&](const TypeRow& row) { return name == row.name; });
    REQUIRE(found != types.end());
    return static_cast<generated::u32>(found - types.begin());
}

generated::u32 kind_number(const std::string& name) {
    const auto* found = std::find(kinds.begin(), kinds.end(), name);
    REQUIRE(found != kinds.end());
    return static_cast<generated::u32>(found - kinds.begin());
}

Bytes make(const generated::Recipe& recipe) {
    Bytes bytes(recipe.count * types[recipe.type].bytes);
    for (generated::u64 block = 0; block < generated::block_count(recipe); ++block) {
        generated::store_block(bytes.data(), recipe, block);
    }
    return bytes;
}

Bytes from_hex(const std::string& text) {
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        bytes.push_back(static_cast<unsigned char>(std::stoul(text.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

// A decimal number of either sign, up to 2^64 - 1, as two's complement.
generated::u64 integer_bits(const nlohmann::json& number) {
    const std::string text = number.get<std::string>();
    return text[0] == '-' ? static_cast<generated::u64>(std::stoll(text)) : std::stoull(text);
}

generated::Recipe recipe_of(const nlohmann::json& row) {
    const std::string key = row.at("key").get<std::string>();
    generated::Recipe recipe{};
    recipe.count = row.at("count").get<std::uint64_t>();
    recipe.type = type_number(row.at("dtype").get<std::string>());
    recipe.kind = kind_number(row.at("kind").get<std::string>());
    recipe.key_high = std::stoull(key.substr(0, 16), nullptr, 16);
    recipe.key_low = std::stoull(key.substr(16), nullptr, 16);
    if (recipe.kind == generated::integers) {
        recipe.first_integer = integer_bits(row.at("first"));
        recipe.range = integer_bits(row.at("second")) - recipe.first_integer + 1;
    } else if (recipe.kind != generated::ones) {
        recipe.first = row.at("first").get<double>();
        recipe.second = row.at("second").get<double>();
    }
    return recipe;
}

std::filesystem::path golden_file() {
    return std::filesystem::path(WARPWRIGHT_ROOT) / "tests/golden/generated_values.json";
}

float float_of(std::uint32_t bits) {
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace

TEST_CASE("generated values are NumPy's to the bit") {
    std::ifstream file(golden_file());
    REQUIRE(file.good());
    const nlohmann::json rows = nlohmann::json::parse(file);
    REQUIRE(!rows.empty());
    for (const nlohmann::json& row : rows) {
        CAPTURE(row.dump());
        CHECK(make(recipe_of(row)) == from_hex(row.at("bytes").get<std::string>()));
    }
}

TEST_CASE("Philox4x64-10: known answers of Random123") {
    // The published vectors begin at counter 0, this stream at counter 1: block -1 is theirs.
    const generated::Words zero = generated::philox(0, 0, std::numeric_limits<generated::u64>::max());
    CHECK(zero.word[0] == 0x16554d9eca36314cULL);
    CHECK(zero.word[1] == 0xdb20fe9d672d0fdcULL);
    CHECK(zero.word[2] == 0xd7e772cee186176bULL);
    CHECK(zero.word[3] == 0x7e68b68aec7ba23bULL);
}

TEST_CASE("an array's end is never passed") {
    for (const generated::u32 kind : {generated::normal, generated::uniform, generated::integers, generated::ones}) {
        for (generated::u64 count = 0; count < 10; ++count) {
            const generated::Recipe recipe{count, generated::f32, kind, 1, 2, 0.0, 1.0, 0, 7};
            Bytes bytes(count * 4 + 16, 0xA5);
            for (generated::u64 block = 0; block < generated::block_count(recipe); ++block) {
                generated::store_block(bytes.data(), recipe, block);
            }
            CAPTURE(kind);
            CAPTURE(count);
            CHECK(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(count * 4), bytes.end(),
                              [](unsigned char byte) { return byte == 0xA5; }));
        }
    }
}

TEST_CASE("binary16 and bfloat16 round to nearest even") {
    struct Row {
        std::uint32_t bits;
        unsigned half;
        unsigned bfloat;
    };
    const std::array<Row, 11> rows{{{0x00000000, 0x0000, 0x0000},
                                    {0x80000000, 0x8000, 0x8000},
                                    {0x3F800000, 0x3C00, 0x3F80},
                                    {0x477FE000, 0x7BFF, 0x4780},    // 65504, the largest half
                                    {0x477FEFFF, 0x7BFF, 0x4780},    // just below 65520
                                    {0x477FF000, 0x7C00, 0x4780},    // 65520
                                    {0x33000000, 0x0000, 0x3300},    // 2^-25: a tie
                                    {0x33000001, 0x0001, 0x3300},    // just above it
                                    {0x33C00000, 0x0002, 0x33C0},    // 1.5 least subnormals: a tie to even
                                    {0x387FFFFF, 0x0400, 0x3880},    // the largest below 2^-14 becomes normal
                                    {0x7F800000, 0x7C00, 0x7F80}}};  // infinity
    for (const Row& row : rows) {
        CAPTURE(row.bits);
        CHECK(generated::half_bits(float_of(row.bits)) == row.half);
        CHECK(generated::bfloat16_bits(float_of(row.bits)) == row.bfloat);
    }
}
