#include "protocol/parse_arrays.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "protocol/faults.hpp"
#include "protocol/fields.hpp"
#include "protocol/npy.hpp"

namespace warpwright {
namespace {

using nlohmann::json;

struct ElementRow {
    const char* name;
    std::size_t bytes;
    bool is_float;
};

// In the order of Element.
const std::vector<ElementRow> element_rows{
    {"float64", 8, true}, {"float32", 4, true}, {"float16", 2, true}, {"bfloat16", 2, true}, {"int8", 1, false},
    {"int16", 2, false},  {"int32", 4, false},  {"int64", 8, false},  {"uint8", 1, false},   {"uint16", 2, false},
    {"uint32", 4, false}, {"uint64", 8, false}, {"bool", 1, false},
};

std::vector<std::string> element_names() {
    std::vector<std::string> names;
    for (const ElementRow& row : element_rows) {
        names.emplace_back(row.name);
    }
    return names;
}

template <typename Integer>
Integer parse_decimal(const std::string& text, const std::string& place) {
    Integer value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || stop != end || error != std::errc()) {
        refuse(place, text,
               "a decimal integer from " + std::to_string(std::numeric_limits<Integer>::min()) + " to " +
                   std::to_string(std::numeric_limits<Integer>::max()));
    }
    return value;
}

// first, last of `integers`: as first value and number of values, which is 0 for all 2^64.
template <typename Integer>
void parse_span(Fields& fields, Recipe& recipe) {
    const auto first = parse_decimal<Integer>(fields.text("first"), fields.place("first"));
    const auto last = parse_decimal<Integer>(fields.text("second"), fields.place("second"));
    if (last < first) {
        refuse(fields.place("second"), std::to_string(last), "an integer that is not less than first");
    }
    recipe.first_integer = static_cast<std::uint64_t>(first);
    recipe.count = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
}

Recipe parse_recipe(const json& value, const std::string& where, std::size_t item) {
    Fields fields(value, where);
    Recipe recipe;
    recipe.kind = static_cast<RecipeKind>(fields.word("kind", {"normal", "uniform", "integers", "ones"}));
    const std::size_t element = fields.word("dtype", element_names());
    recipe.element = static_cast<Element>(element);
    const ElementRow& row = element_rows[element];
    if (row.bytes != item) {
        refuse(fields.place("dtype"), row.name, "a type of " + std::to_string(item) + " bytes, as the array has");
    }
    if (recipe.kind == RecipeKind::normal || recipe.kind == RecipeKind::uniform) {
        if (!row.is_float) {
            refuse(fields.place("dtype"), row.name, "float64, float32, float16, bfloat16 for normal and uniform");
        }
        recipe.first = fields.number("first", -std::numeric_limits<double>::infinity());
        recipe.second = fields.number("second", -std::numeric_limits<double>::infinity());
    } else if (recipe.kind == RecipeKind::ones) {
        (void)fields.any("first");  // both are always written; `ones` needs neither
        (void)fields.any("second");
    } else if (recipe.element == Element::u64) {
        parse_span<std::uint64_t>(fields, recipe);
    } else {
        parse_span<std::int64_t>(fields, recipe);
    }
    fields.finish();
    return recipe;
}

HostBytes take_payload(std::uint64_t index, const ArraySpec& array, const std::string& place,
                       std::vector<HostBytes>& attachments) {
    if (index >= attachments.size()) {
        refuse(place, index, "the index of one of the " + std::to_string(attachments.size()) + " attachments");
    }
    HostBytes& stream = attachments[static_cast<std::size_t>(index)];
    if (stream.empty()) {  // a .npy stream never is
        refuse(place, index, "an attachment that no other pool uses");
    }
    const std::string where = place + " (attachment " + std::to_string(index) + ")";
    const NpyHeader header = parse_npy(stream, where);
    if (header.descr != array.descr || header.shape != array.shape) {
        throw RequestError(where + " has type " + header.descr + " and shape " + json(header.shape).dump() +
                           "; the array has type " + array.descr + " and shape " + json(array.shape).dump());
    }
    return npy_payload(std::exchange(stream, {}), header);
}

void parse_source(Fields& fields, ArraySpec& array, std::vector<HostBytes>& attachments) {
    const json& recipe = fields.any("recipe");
    if (!recipe.is_null()) {
        array.recipe = parse_recipe(recipe, fields.place("recipe"), array.item_bytes);
    }
    for (const std::uint64_t index : fields.counts("pool")) {
        array.pool.push_back(take_payload(index, array, fields.place("pool", array.pool.size()), attachments));
    }
    if (array.is_input() && array.recipe.has_value() == !array.pool.empty()) {
        throw RequestError(fields.where() + ": input " + array.name + " has " +
                           (array.pool.empty() ? "neither recipe nor pool" : "recipe and pool") +
                           "; allowed: one of them");
    }
    if (!array.is_input() && (array.recipe.has_value() || !array.pool.empty())) {
        throw RequestError(fields.where() + ": " + array.name +
                           " is no input and has a recipe or pool; allowed: neither");
    }
}

ArraySpec parse_array(const json& value, const std::string& where, std::vector<HostBytes>& attachments) {
    Fields fields(value, where);
    ArraySpec array;
    array.name = fields.text("name");
    array.role = static_cast<Role>(fields.word("role", {"in", "out", "inout", "scratch"}));
    array.descr = fields.text("dtype");
    array.item_bytes = item_bytes(array.descr, fields.place("dtype"));
    for (const std::uint64_t extent : fields.counts("shape")) {
        array.shape.push_back(static_cast<std::size_t>(extent));
    }
    array.count = element_count(array.shape, array.item_bytes, fields.place("shape"));
    array.align_bytes = static_cast<std::size_t>(fields.count("align_bytes", 1, std::uint64_t{1} << 21));
    if ((array.align_bytes & (array.align_bytes - 1)) != 0) {
        refuse(fields.place("align_bytes"), array.align_bytes, "a power of two");
    }
    array.zeroed = fields.boolean("zeroed");
    parse_source(fields, array, attachments);
    fields.finish();
    return array;
}

unsigned hex_digit(char digit, const std::string& text, const std::string& where) {
    if (digit >= '0' && digit <= '9') {
        return static_cast<unsigned>(digit - '0');
    }
    if (digit >= 'a' && digit <= 'f') {
        return static_cast<unsigned>(digit - 'a') + 10;
    }
    if (digit >= 'A' && digit <= 'F') {
        return static_cast<unsigned>(digit - 'A') + 10;
    }
    refuse(where, text, "hexadecimal digits, two a byte");
}

// 32 digits, most significant first, as Python's format(key, "032x").
Key parse_key(const json& value, const std::string& where) {
    if (!value.is_string() || value.get<std::string>().size() != 32) {
        refuse(where, value, "32 hexadecimal digits: the key of the recipe");
    }
    const std::string text = value.get<std::string>();
    Key key;
    for (std::size_t i = 0; i < 32; ++i) {
        std::uint64_t& half = i < 16 ? key.high : key.low;
        half = half << 4 | hex_digit(text[i], text, where);
    }
    return key;
}

}  // namespace

std::vector<ArraySpec> parse_arrays(const json& value, const std::string& where, std::vector<HostBytes>& attachments) {
    std::vector<ArraySpec> arrays;
    std::set<std::string> names;
    for (const json& each : value) {
        arrays.push_back(parse_array(each, where + "[" + std::to_string(arrays.size()) + "]", attachments));
        if (!names.insert(arrays.back().name).second) {
            throw RequestError(where + ": two arrays are named " + arrays.back().name);
        }
    }
    for (std::size_t i = 0; i < attachments.size(); ++i) {
        if (!attachments[i].empty()) {
            throw RequestError(where + ": attachment " + std::to_string(i) + " is in no pool");
        }
    }
    return arrays;
}

Values parse_values(const json& value, const std::string& where, const std::vector<ArraySpec>& arrays) {
    Fields fields(value, where);
    Values values;
    for (const ArraySpec& array : arrays) {
        if (!array.is_input()) {
            continue;
        }
        InputValue& input = values[array.name];
        if (array.recipe) {
            input.key = parse_key(fields.any(array.name.c_str()), fields.place(array.name.c_str()));
        } else {
            input.pool_index = static_cast<std::size_t>(fields.count(array.name.c_str(), 0, array.pool.size() - 1));
        }
    }
    fields.finish();
    return values;
}

Bytes parse_hex(const std::string& text, const std::string& where) {
    if (text.size() % 2 != 0) {
        refuse(where, text, "hexadecimal digits, two a byte");
    }
    Bytes bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        bytes.push_back(
            static_cast<unsigned char>(hex_digit(text[i], text, where) * 16 + hex_digit(text[i + 1], text, where)));
    }
    return bytes;
}

}  // namespace warpwright
