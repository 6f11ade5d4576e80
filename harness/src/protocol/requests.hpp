// What a request says, as plain structs: the JSON has been checked, every field is there and has its type.
// The fields are those of docs/harness.md, in the same words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/host_bytes.hpp"

namespace warpwright {

using Dim3 = std::array<unsigned, 3>;

enum class Role { in, out, inout, scratch };
enum class Placement { start, end };
enum class RecipeKind { normal, uniform, integers, ones };

// The element types that recipes make.
enum class Element { f64, f32, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, boolean };

struct Key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
};

// first, second: of `normal` and `uniform`; first_integer, count: of `integers` (count 0 stands for 2^64).
struct Recipe {
    RecipeKind kind = RecipeKind::ones;
    Element element = Element::f32;
    double first = 0.0;
    double second = 0.0;
    std::uint64_t first_integer = 0;
    std::uint64_t count = 1;
};

// An array of the plan. descr, shape: as in .npy. pool: payloads of the attachments, without their headers.
struct ArraySpec {
    std::string name;
    Role role = Role::in;
    std::string descr;
    std::vector<std::size_t> shape;
    std::size_t item_bytes = 1;
    std::size_t count = 0;
    std::size_t align_bytes = 1;
    bool zeroed = false;
    std::optional<Recipe> recipe;
    std::vector<HostBytes> pool;

    [[nodiscard]] std::size_t bytes() const { return item_bytes * count; }
    [[nodiscard]] bool is_input() const { return role == Role::in || role == Role::inout; }
    [[nodiscard]] bool is_output() const { return role == Role::out || role == Role::inout; }
};

struct ScalarSpec {
    std::string name;
    Bytes bytes;
};

struct LaunchSpec {
    std::string symbol;
    Dim3 grid{1, 1, 1};
    Dim3 block{1, 1, 1};
    unsigned shared_bytes = 0;
    std::optional<Dim3> cluster;
    bool cooperative = false;
    std::vector<std::string> args;
};

struct Plan {
    std::vector<LaunchSpec> launches;
};

// Where one input's values come from in one launch: a key for its recipe, or an index in its pool.
struct InputValue {
    Key key;
    std::size_t pool_index = 0;
};
using Values = std::map<std::string, InputValue>;

struct HelloRequest {
    int schema = 0;
    int device = 0;
    std::string nonce;
};

struct LoadRequest {
    std::string name;
    std::vector<std::string> symbols;
    std::vector<std::string> globals;
    HostBytes cubin;
};

struct RunRequest {
    std::string module;
    Plan plan;
    std::vector<ArraySpec> arrays;
    std::vector<ScalarSpec> scalars;
    Values values;
    unsigned char poison = 0xFF;
    unsigned char guard = 0xA5;
    Placement placement = Placement::start;
    bool fill_shared = true;
    bool plain_memory = false;
    double time_limit_s = 0.0;
    std::vector<std::string> returned;
};

struct Contestant {
    std::string module;
    Plan plan;
};

struct ScheduledLaunch {
    Values values;
    bool keep = false;
};

struct Block {
    std::size_t contestant = 0;
    std::vector<ScheduledLaunch> launches;
};

struct TimeRequest {
    std::vector<Contestant> contestants;
    std::vector<ArraySpec> arrays;
    std::vector<ScalarSpec> scalars;
    std::vector<Block> blocks;
    std::size_t sets = 1;
    bool cold = true;
    unsigned flushes = 1;
    double spin_ms = 0.0;
    bool blocker = true;
    double time_limit_s = 0.0;
};

}  // namespace warpwright
