// The kernels that this GPU can execute: C++ functions, found by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "stream.hpp"

namespace warpwright::standin {

// One launch: its shape and the bytes of each argument.
struct Call {
    std::array<unsigned, 3> grid{1, 1, 1};
    std::array<unsigned, 3> block{1, 1, 1};
    unsigned shared_bytes = 0;
    std::vector<std::vector<unsigned char>> arguments;

    template <class T>
    [[nodiscard]] T argument(std::size_t index) const {
        T value;
        std::memcpy(&value, arguments.at(index).data(), sizeof value);
        return value;
    }

    [[nodiscard]] std::uint64_t threads() const {
        std::uint64_t product = 1;
        for (std::size_t i = 0; i < 3; ++i) {
            product *= std::uint64_t{grid[i]} * block[i];
        }
        return product;
    }
};

// An array that a launch reads or writes.
struct Operand {
    unsigned char* data = nullptr;
    std::size_t bytes = 0;
};

struct Operands {
    std::vector<Operand> inputs;
    std::vector<Operand> outputs;
};

struct KernelCode {
    const char* name;
    std::vector<std::size_t> parameter_bytes;
    // May touch pages that are absent: no locals with destructors.
    void (*compute)(const Call&, driver::OpaqueStream&);
    // Null: of no interest.
    Operands (*operands)(const Call&);
    // Model of its duration at full clock, without the launch overhead.
    double (*duration_us)(const Call&);
};

// Null: not in the registry.
[[nodiscard]] const KernelCode* find_kernel(const std::string& name);

// The parts of the registry.
[[nodiscard]] const std::vector<KernelCode>& harness_kernels();
[[nodiscard]] const std::vector<KernelCode>& test_kernels();
[[nodiscard]] const std::vector<KernelCode>& attack_kernels();

}  // namespace warpwright::standin
