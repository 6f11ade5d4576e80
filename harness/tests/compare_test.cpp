#include "run/compare.hpp"

#include "doctest/doctest.h"

using namespace warpwright;

TEST_CASE("differing bytes are counted from the first one") {
    const Bytes before{1, 2, 3, 4, 5};
    CHECK(differ(before, before).bytes == 0);
    CHECK(differ(Bytes{}, Bytes{}).bytes == 0);
    const Difference difference = differ(before, Bytes{1, 2, 9, 4, 8});
    CHECK(difference.bytes == 2);
    CHECK(difference.first_byte == 2);
}

TEST_CASE("only read-only inputs need a second copy") {
    ArraySpec in;
    in.role = Role::in;
    in.item_bytes = 4;
    in.count = 100;
    ArraySpec inout = in;
    inout.role = Role::inout;
    inout.count = 1000;
    ArraySpec scratch = inout;
    scratch.role = Role::scratch;
    CHECK(largest_input_bytes({inout, in, scratch}) == 400);
    CHECK(largest_input_bytes({inout, scratch}) == 0);
    CHECK(largest_input_bytes({}) == 0);
}
