// Sums of inputs under a secret key.
#include "time/seal.hpp"

#include <set>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "driver/error.hpp"
#include "memory/device_buffer.hpp"
#include "standin_machine.hpp"
#include "sum.cuh"

using namespace warpwright;
using namespace warpwright::tests;

namespace {

// A seal on a GPU of its own, and memory there.
struct Sealed {
    StandinMachine gpu{"{}", {"scale"}, "kernel scale"};
    timing::Seal seal{gpu.machine()};
    memory::DeviceBuffer memory{gpu.api(), 4096};

    std::uint64_t sum(const std::vector<unsigned char>& bytes, std::size_t array = 0, std::size_t offset = 0) {
        WARPWRIGHT_CALL(gpu.api(), copy_to_device, memory.address() + offset, bytes.data(), bytes.size(),
                        gpu.machine().context.stream());
        seal.begin();
        seal.add(array, memory.address() + offset, bytes.size());
        return seal.read();
    }
};

}  // namespace

TEST_CASE("a sum depends on every byte, on the array's index, and on nothing else; any size and alignment") {
    Sealed sealed;
    for (const std::size_t size : {1, 2, 3, 31, 32, 33, 63, 64, 100, 1000}) {
        CAPTURE(size);
        std::vector<unsigned char> bytes(size, 7);
        const std::uint64_t whole = sealed.sum(bytes);
        CHECK(sealed.sum(bytes, 0, 3) == whole);
        CHECK(sealed.sum(bytes, 1) != whole);
        for (std::size_t i = 0; i < size; ++i) {
            bytes[i] ^= 0x80;
            CHECK(sealed.sum(bytes) != whole);
            bytes[i] ^= 0x80;
        }
    }
}

TEST_CASE("another seal has another key") {
    StandinMachine gpu("{}", {"scale"}, "kernel scale");
    const memory::DeviceBuffer memory(gpu.api(), 64);
    std::set<std::uint64_t> sums;
    for (int i = 0; i < 4; ++i) {
        const timing::Seal seal(gpu.machine());
        seal.begin();
        seal.add(0, memory.address(), 64);
        sums.insert(seal.read());
    }
    CHECK(sums.size() == 4);
}

TEST_CASE("blocks of a sum: words of 32 bits, each in a pair that is multiplied behind the adding of its key") {
    sealed::Block block{};
    const generated::Words key = generated::philox(1, 2, 3);
    const auto pair = [&key](std::uint32_t a, std::uint32_t b) {
        const auto low = static_cast<std::uint32_t>(key.word[0]) + a;
        const auto high = static_cast<std::uint32_t>(key.word[0] >> 32) + b;
        return std::uint64_t{low} * high;
    };
    const std::uint64_t zeros = sealed::share(block, 1, 2, 3);
    block.word[0] = 0xFFFFFFFF;
    block.word[1] = 12345;
    CHECK(sealed::share(block, 1, 2, 3) - zeros == pair(0xFFFFFFFF, 12345) - pair(0, 0));
}

TEST_CASE("a comparison lets the right sum pass and takes it away; another one ends the context and is told") {
    Sealed sealed;
    const std::uint64_t sum = sealed.sum({1, 2, 3});
    sealed.seal.check(sum);
    CHECK(sealed.seal.read() == 0);
    CHECK_FALSE(sealed.seal.broken());
    CHECK(sealed.sum({1, 2, 3}) == sum);
    sealed.seal.check(sum + 1);
    CHECK_THROWS_AS(static_cast<void>(sealed.seal.read()), driver::DriverError);
    CHECK(sealed.seal.broken());
}

TEST_CASE("queue entries of a comparison") {
    CHECK(timing::seal_entries(0) == 0);
    CHECK(timing::seal_entries(3) == 5);
}
