#include "protocol/parse.hpp"

#include <string>

#include "doctest/doctest.h"
#include "protocol/faults.hpp"
#include "protocol/npy.hpp"

using namespace warpwright;
using nlohmann::json;

namespace {

Bytes npy(const std::string& descr, const std::vector<std::size_t>& shape, std::size_t bytes, unsigned char value = 3) {
    const std::string header = npy_header(descr, shape);
    Bytes stream(header.begin(), header.end());
    stream.resize(stream.size() + bytes, value);
    return stream;
}

// x from a recipe, p from a pool of two, y an output.
json run_body() {
    return json::parse(R"({
        "module": "A",
        "plan": {"launches": [{"symbol": "k", "grid": [4, 1, 1], "block": [256, 1, 1], "shared_bytes": 0,
                               "cluster": null, "cooperative": false, "args": ["x", "p", "y", "n"]}]},
        "arrays": [
            {"name": "x", "role": "in", "dtype": "<f4", "shape": [2, 3], "align_bytes": 4, "zeroed": false,
             "recipe": {"kind": "normal", "dtype": "float32", "first": 0.5, "second": 2}, "pool": []},
            {"name": "p", "role": "inout", "dtype": "|u1", "shape": [4], "align_bytes": 16, "zeroed": false,
             "recipe": null, "pool": [0, 1]},
            {"name": "y", "role": "out", "dtype": "<V2", "shape": [], "align_bytes": 2, "zeroed": true,
             "recipe": null, "pool": []}],
        "scalars": [{"name": "n", "hex": "0a00FF00"}],
        "values": {"x": "0123456789abcdef00000000000000ff", "p": 1},
        "poison": 255, "guard": 165, "placement": "end", "fill_shared": true, "plain_memory": false,
        "time_limit_s": 2.5, "return": ["y", "p"]})");
}

std::vector<HostBytes> pool() { return {npy("|u1", {4}, 4, 5), npy("|u1", {4}, 4, 6)}; }

// The message that answers the body after one change; json patch: path -> value, null value of "remove" removes.
std::string refusal(const std::string& path, const json& value, std::vector<HostBytes> attachments = pool()) {
    json body = run_body();
    body[json::json_pointer(path)] = value;
    try {
        (void)parse_run(body, std::move(attachments));
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

std::string refusal_without(const char* path, const char* field) {
    json body = run_body();
    body[json::json_pointer(path)].erase(field);
    try {
        (void)parse_run(body, pool());
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("a run request") {
    const RunRequest run = parse_run(run_body(), pool());
    CHECK(run.module == "A");
    CHECK(run.plan.launches[0].args == std::vector<std::string>{"x", "p", "y", "n"});
    CHECK(run.plan.launches[0].block == Dim3{256, 1, 1});
    CHECK_FALSE(run.plan.launches[0].cluster.has_value());
    CHECK(run.arrays[0].bytes() == 24);
    CHECK(run.arrays[0].recipe->kind == RecipeKind::normal);
    CHECK(run.arrays[0].recipe->second == 2.0);
    CHECK(run.arrays[1].pool == std::vector<HostBytes>{Bytes(4, 5), Bytes(4, 6)});
    CHECK(run.arrays[2].count == 1);
    CHECK(run.arrays[2].zeroed);
    CHECK(run.scalars[0].bytes == Bytes{0x0A, 0x00, 0xFF, 0x00});
    CHECK(run.values.at("x").key.high == 0x0123456789abcdefULL);
    CHECK(run.values.at("x").key.low == 0xffULL);
    CHECK(run.values.at("p").pool_index == 1);
    CHECK(run.placement == Placement::end);
    CHECK(run.time_limit_s == 2.5);
    CHECK(run.returned == std::vector<std::string>{"y", "p"});
}

TEST_CASE("bad values are refused: where, what was found, what is allowed") {
    struct Row {
        std::string path;
        json value;
        std::string message;
    };
    const std::vector<Row> rows{
        {"/module", 3, "run.module is 3; allowed: a string"},
        {"/surprise", 1,
         "run: unknown field surprise; allowed: arrays, fill_shared, guard, module, placement, plain_memory, plan, "
         "poison, return, scalars, time_limit_s, values"},
        {"/poison", 256, "run.poison is 256; allowed: an integer from 0 to 255"},
        {"/poison", 1.0, "run.poison is 1.0; allowed: an integer from 0 to 255"},
        {"/poison", true, "run.poison is true; allowed: an integer from 0 to 255"},
        {"/placement", "middle", "run.placement is \"middle\"; allowed: start, end"},
        {"/fill_shared", 1, "run.fill_shared is 1; allowed: true, false"},
        {"/time_limit_s", -1, "run.time_limit_s is -1; allowed: a number, at least 0"},
        {"/return", json::array({"z"}), "run.return[0] is \"z\"; allowed: the name of an array of the request"},
        {"/plan/launches", json::array(), "run.plan.launches is empty; allowed: at least one launch"},
        {"/plan/launches/0/grid", json::array({1, 1}),
         "run.plan.launches[0].grid is [1,1]; allowed: [x, y, z] of integers from 0 to 4294967295"},
        {"/plan/launches/0/block", json::array({1, -1, 1}),
         "run.plan.launches[0].block is [1,-1,1]; allowed: [x, y, z] of integers from 0 to 4294967295"},
        {"/plan/launches/0/args/1", "q",
         "run.plan.launches[0].args[1] is \"q\"; allowed: the name of an array or scalar of the request"},
        {"/plan/launches/0/warp", 1,
         "run.plan.launches[0]: unknown field warp; allowed: args, block, cluster, cooperative, grid, shared_bytes, "
         "symbol"},
        {"/arrays/0/role", "input", "run.arrays[0].role is \"input\"; allowed: in, out, inout, scratch"},
        {"/arrays/0/align_bytes", 12, "run.arrays[0].align_bytes is 12; allowed: a power of two"},
        {"/arrays/0/recipe", nullptr, "run.arrays[0]: input x has neither recipe nor pool; allowed: one of them"},
        {"/arrays/0/recipe/dtype", "float64",
         "run.arrays[0].recipe.dtype is \"float64\"; allowed: a type of 4 bytes, as the array has"},
        {"/arrays/0/recipe/dtype", "int32",
         "run.arrays[0].recipe.dtype is \"int32\"; allowed: float64, float32, float16, bfloat16 for normal and "
         "uniform"},
        {"/arrays/0/recipe/first", "0.5", "run.arrays[0].recipe.first is \"0.5\"; allowed: a finite number"},
        {"/arrays/1/name", "x", "run.arrays: two arrays are named x"},
        {"/arrays/1/pool", json::array({0}), "run.arrays: attachment 1 is in no pool"},
        {"/arrays/1/pool/1", 2, "run.arrays[1].pool[1] is 2; allowed: the index of one of the 2 attachments"},
        {"/arrays/1/pool/1", 0, "run.arrays[1].pool[1] is 0; allowed: an attachment that no other pool uses"},
        {"/arrays/1/shape", json::array({5}),
         "run.arrays[1].pool[0] (attachment 0) has type |u1 and shape [4]; the array has type |u1 and shape [5]"},
        {"/arrays/1/role", "scratch", "run.arrays[1]: p is no input and has a recipe or pool; allowed: neither"},
        {"/scalars/0/hex", "0a0", "run.scalars[0].hex is \"0a0\"; allowed: hexadecimal digits, two a byte"},
        {"/scalars/0/hex", "zz", "run.scalars[0].hex is \"zz\"; allowed: hexadecimal digits, two a byte"},
        {"/scalars/0/hex", "", "run.scalars[0].hex is empty; allowed: at least one byte"},
        {"/scalars/0/name", "y", "run.scalars: the name y is taken"},
        {"/values/x", "12", "run.values.x is \"12\"; allowed: 32 hexadecimal digits: the key of the recipe"},
        {"/values/p", 2, "run.values.p is 2; allowed: an integer from 0 to 1"},
        {"/values/y", 0, "run.values: unknown field y; allowed: p, x"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.path);
        CHECK(refusal(row.path, row.value) == row.message);
    }
}

TEST_CASE("every field is needed") {
    const json body = run_body();
    for (const auto& item : body.items()) {
        CHECK(refusal_without("", item.key().c_str()) == "run." + item.key() + " is missing");
    }
    for (const auto& item : body["arrays"][0].items()) {
        CHECK(refusal_without("/arrays/0", item.key().c_str()) == "run.arrays[0]." + item.key() + " is missing");
    }
    for (const auto& item : body["plan"]["launches"][0].items()) {
        CHECK(refusal_without("/plan/launches/0", item.key().c_str()) ==
              "run.plan.launches[0]." + item.key() + " is missing");
    }
    CHECK(refusal_without("/values", "x") == "run.values.x is missing");
}

TEST_CASE("integers travel as decimal strings, in the full range of 64 bits") {
    struct Row {
        std::string dtype;
        std::size_t bytes;
        std::string first;
        std::string last;
        std::uint64_t first_integer;
        std::uint64_t count;
    };
    for (const Row& row :
         {Row{"int8", 1, "-128", "127", ~std::uint64_t{127}, 256}, Row{"uint64", 8, "0", "18446744073709551615", 0, 0},
          Row{"int64", 8, "-9223372036854775808", "9223372036854775807", std::uint64_t{1} << 63, 0},
          Row{"float32", 4, "-3", "-3", ~std::uint64_t{2}, 1}}) {
        CAPTURE(row.dtype);
        json body = run_body();
        body["arrays"][0]["dtype"] = row.bytes == 1 ? "|i1" : "<i" + std::to_string(row.bytes);
        body["arrays"][0]["recipe"] = {
            {"kind", "integers"}, {"dtype", row.dtype}, {"first", row.first}, {"second", row.last}};
        const RunRequest run = parse_run(body, pool());
        CHECK(run.arrays[0].recipe->first_integer == row.first_integer);
        CHECK(run.arrays[0].recipe->count == row.count);
    }
    const json backwards = {{"kind", "integers"}, {"dtype", "float32"}, {"first", "3"}, {"second", "2"}};
    CHECK(refusal("/arrays/0/recipe", backwards) ==
          "run.arrays[0].recipe.second is \"2\"; allowed: an integer that is not less than first");
    const json words = {{"kind", "integers"}, {"dtype", "float32"}, {"first", "three"}, {"second", "2"}};
    CHECK(refusal("/arrays/0/recipe", words) ==
          "run.arrays[0].recipe.first is \"three\"; allowed: a decimal integer from -9223372036854775808 to "
          "9223372036854775807");
}

TEST_CASE("a time request, and what a schedule may not name") {
    const json run = run_body();
    const json launch = {{"values", run["values"]}, {"keep", true}};
    json body = {{"contestants", {{{"module", "A"}, {"plan", run["plan"]}}}},
                 {"arrays", run["arrays"]},
                 {"scalars", run["scalars"]},
                 {"blocks", {{{"contestant", 0}, {"launches", {launch, launch}}}}},
                 {"sets", 10},
                 {"cold", true},
                 {"flushes", 1},
                 {"spin_ms", 50.0},
                 {"blocker", true},
                 {"time_limit_s", 20}};
    const TimeRequest time = parse_time(body, pool());
    CHECK(time.contestants[0].plan.launches[0].symbol == "k");
    CHECK(time.blocks[0].launches.size() == 2);
    CHECK(time.blocks[0].launches[1].keep);
    CHECK(time.sets == 10);
    body["blocks"][0]["contestant"] = 1;
    CHECK_THROWS_WITH((void)parse_time(body, pool()),
                      "time.blocks[0].contestant is 1; allowed: an integer from 0 to 0");
    body["blocks"][0]["contestant"] = 0;
    body["blocks"][0]["launches"][1]["values"].erase("p");
    CHECK_THROWS_WITH((void)parse_time(body, pool()), "time.blocks[0].launches[1].values.p is missing");
    body["contestants"] = json::array();
    CHECK_THROWS_WITH((void)parse_time(body, pool()), "time.contestants is empty; allowed: at least one contestant");
}

TEST_CASE("hello, load and operations without fields") {
    CHECK(parse_hello({{"schema", 1}, {"device", 2}, {"nonce", "n"}}).device == 2);
    CHECK_THROWS_WITH((void)parse_hello({{"schema", 2}, {"device", 0}, {"nonce", "n"}}),
                      "hello.schema is 2; allowed: an integer from 1 to 1");
    const json load = {{"name", "A"}, {"symbols", {"k"}}, {"globals", json::array()}};
    CHECK(parse_load(load, {npy("|u1", {3}, 3)}).cubin == Bytes(3, 3));
    CHECK_THROWS_WITH((void)parse_load(load, {}), "load has 0 attachments; allowed: 1, the cubin");
    CHECK_THROWS_WITH((void)parse_load(load, {npy("<f4", {3}, 12)}),
                      "load (attachment 0): the cubin has type <f4 in 1 dimensions; allowed: |u1 in one dimension");
    CHECK_THROWS_WITH(parse_nothing({{"x", 1}}, "bye"), "bye: unknown field x; allowed: none");
}
