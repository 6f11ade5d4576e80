#include "time/seal.hpp"

#include <cstring>
#include <random>

#include "driver/error.hpp"
#include "launch/own_kernel.hpp"

namespace warpwright::timing {
namespace {

// As in kernels/sum.cuh; and the numbers of an array's blocks: no array has as many.
constexpr std::uint64_t block_bytes = 32;
constexpr unsigned array_shift = 52;

std::uint64_t random_word(std::random_device& source) {
    std::uniform_int_distribution<std::uint64_t> all;
    return all(source);
}

Key random_key() {
    std::random_device source;
    const std::uint64_t low = random_word(source);
    return {low, random_word(source)};
}

}  // namespace

std::size_t seal_entries(std::size_t arrays) { return arrays == 0 ? 0 : arrays + 2; }

Seal::Seal(const Machine& machine)
    : machine_(machine),
      sum_(machine.module(own_module).function("ww_seal_sum")),
      check_(machine.module(own_module).function("ww_seal_check")),
      key_(random_key()),
      total_(machine.api, sizeof(std::uint64_t)),
      broken_(machine.api, 1) {}

void Seal::begin() const {
    WARPWRIGHT_CALL(machine_.api, fill_bytes, total_.address(), 0, total_.bytes(), machine_.context.stream());
}

void Seal::add(std::size_t array, driver::DevicePointer address, std::size_t bytes) const {
    const std::uint64_t size = bytes;
    const std::uint64_t first = std::uint64_t{array} << array_shift;
    launch::launch_own(machine_.api, sum_, launch::Shape{launch::stride_blocks((size + block_bytes - 1) / block_bytes)},
                       machine_.context.stream(), address, size, key_.low, key_.high, first, total_.address());
}

void Seal::check(std::uint64_t expected) const {
    launch::launch_own(machine_.api, check_, launch::Shape{1, 1, 0}, machine_.context.stream(), total_.address(),
                       expected, broken_.address(0));
}

std::uint64_t Seal::read() const {
    const HostBytes bytes = machine_.staging.read(machine_.context.stream(), total_.address(), total_.bytes());
    std::uint64_t sum = 0;
    std::memcpy(&sum, bytes.data(), sizeof sum);
    return sum;
}

}  // namespace warpwright::timing
