#include "launch/parameters.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "doctest/doctest.h"
#include "protocol/faults.hpp"

using namespace warpwright;
using namespace warpwright::launch;

namespace {

template <class Value>
Value read(Parameters& parameters, std::size_t index) {
    Value value;
    std::memcpy(&value, parameters.pointers()[index], sizeof value);
    return value;
}

const Addresses arrays{{"x", 0x1000}, {"y", 0x2000}};

}  // namespace

TEST_CASE("arguments are packed in the order of the plan, arrays as addresses and scalars byte by byte") {
    Parameters parameters({"y", "n", "x", "alpha", "y"}, arrays,
                          {{"alpha", {0, 0, 0, 0, 0, 0, 0xF8, 0x3F}}, {"n", {0x39, 0x30, 0, 0}}});
    REQUIRE(parameters.count() == 5);
    CHECK(read<std::uint64_t>(parameters, 0) == 0x2000);
    CHECK(read<std::int32_t>(parameters, 1) == 12345);
    CHECK(read<std::uint64_t>(parameters, 2) == 0x1000);
    CHECK(read<double>(parameters, 3) == 1.5);
    CHECK(read<std::uint64_t>(parameters, 4) == 0x2000);
}

TEST_CASE("every parameter is aligned for the widest type, and stays where it is when moved") {
    const Bytes wide{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    Parameters first({"flag", "wide", "x"}, arrays, {{"flag", {1}}, {"wide", wide}});
    Parameters parameters = std::move(first);
    for (std::size_t i = 0; i < parameters.count(); ++i) {
        CHECK(reinterpret_cast<std::uintptr_t>(parameters.pointers()[i]) % 16 == 0);
    }
    CHECK(read<unsigned char>(parameters, 0) == 1);
    CHECK(std::memcmp(parameters.pointers()[1], wide.data(), wide.size()) == 0);
    CHECK(read<std::uint64_t>(parameters, 2) == 0x1000);
}

TEST_CASE("a launch without arguments is legal") { CHECK(Parameters({}, arrays, {}).count() == 0); }

TEST_CASE("an unknown argument is named") {
    try {
        Parameters({"x", "z"}, arrays, {{"n", {1}}});
        FAIL("accepted");
    } catch (const RequestError& error) {
        CHECK(std::string(error.what()) == "argument z is neither an array nor a scalar of this request");
    }
}

TEST_CASE("scalars of no bytes or too many are refused") {
    CHECK_THROWS_AS(Parameters({"n"}, arrays, {{"n", {}}}), RequestError);
    CHECK_THROWS_AS(Parameters({"n"}, arrays, {{"n", Bytes(4097)}}), RequestError);
}
