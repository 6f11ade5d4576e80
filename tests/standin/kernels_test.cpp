// Kernels of tests and of the canary. Thread i works on element i, so that a launch with too few threads leaves a rest.
#include <algorithm>

#include "kernels.hpp"

namespace warpwright::standin {

namespace {

std::size_t covered(const Call& call, int n) {
    return std::min(call.threads(), static_cast<std::uint64_t>(std::max(n, 0)));
}

Operand floats(const Call& call, std::size_t index, std::size_t count) {
    return {call.argument<unsigned char*>(index), count * sizeof(float)};
}

std::size_t count_at(const Call& call, std::size_t index) {
    return static_cast<std::size_t>(std::max(call.argument<int>(index), 0));
}

// 5 us, and 0.1 ns per thread.
double usual_us(const Call& call) { return 5.0 + 1e-4 * static_cast<double>(call.threads()); }

// axpb(float* y, const float* x, const float* b, float a, int n): y = a x + b.
void axpb(const Call& call, driver::OpaqueStream&) {
    auto* const y = call.argument<float*>(0);
    const auto* const x = call.argument<const float*>(1);
    const auto* const b = call.argument<const float*>(2);
    const auto a = call.argument<float>(3);
    for (std::size_t i = 0; i < covered(call, call.argument<int>(4)); ++i) {
        y[i] = a * x[i] + b[i];
    }
}

Operands axpb_operands(const Call& call) {
    const std::size_t n = count_at(call, 4);
    return {{floats(call, 1, n), floats(call, 2, n)}, {floats(call, 0, n)}};
}

// saxpy(float* y, const float* x, float a, int n): y = a x + y, y is inout.
void saxpy(const Call& call, driver::OpaqueStream&) {
    auto* const y = call.argument<float*>(0);
    const auto* const x = call.argument<const float*>(1);
    const auto a = call.argument<float>(2);
    for (std::size_t i = 0; i < covered(call, call.argument<int>(3)); ++i) {
        y[i] = a * x[i] + y[i];
    }
}

Operands saxpy_operands(const Call& call) {
    const std::size_t n = count_at(call, 3);
    return {{floats(call, 1, n), floats(call, 0, n)}, {floats(call, 0, n)}};
}

// scale(float* y, const float* x, int n): y = 2 x.
void scale(const Call& call, driver::OpaqueStream&) {
    auto* const y = call.argument<float*>(0);
    const auto* const x = call.argument<const float*>(1);
    for (std::size_t i = 0; i < covered(call, call.argument<int>(2)); ++i) {
        y[i] = 2.0f * x[i];
    }
}

Operands scale_operands(const Call& call) {
    const std::size_t n = count_at(call, 2);
    return {{floats(call, 1, n)}, {floats(call, 0, n)}};
}

// row_sum(float* y, const float* x, int rows, int cols): y[r] = sum of row r, one thread per row.
void row_sum(const Call& call, driver::OpaqueStream&) {
    auto* const y = call.argument<float*>(0);
    const auto* const x = call.argument<const float*>(1);
    const std::size_t cols = count_at(call, 3);
    for (std::size_t r = 0; r < covered(call, call.argument<int>(2)); ++r) {
        float sum = 0.0f;
        for (std::size_t c = 0; c < cols; ++c) {
            sum += x[r * cols + c];
        }
        y[r] = sum;
    }
}

Operands row_sum_operands(const Call& call) {
    const std::size_t rows = count_at(call, 2);
    return {{floats(call, 1, rows * count_at(call, 3))}, {floats(call, 0, rows)}};
}

double row_sum_us(const Call& call) {
    return 5.0 + 1e-4 * static_cast<double>(count_at(call, 2)) * static_cast<double>(count_at(call, 3));
}

// first_half(float* t, const float* x, int n), second_half(float* y, const float* t, int n): y = 2 x + 1 by way of the
// scratch array t, a plan of two launches.
void second_half(const Call& call, driver::OpaqueStream&) {
    auto* const y = call.argument<float*>(0);
    const auto* const t = call.argument<const float*>(1);
    for (std::size_t i = 0; i < covered(call, call.argument<int>(2)); ++i) {
        y[i] = t[i] + 1.0f;
    }
}

// nothing(): no parameters, no effect.
void nothing(const Call&, driver::OpaqueStream&) {}

Operands no_operands(const Call&) { return {}; }

}  // namespace

const std::vector<KernelCode>& test_kernels() {
    static const std::vector<KernelCode> kernels{
        {"axpb", {8, 8, 8, 4, 4}, axpb, axpb_operands, usual_us},
        {"saxpy", {8, 8, 4, 4}, saxpy, saxpy_operands, usual_us},
        {"scale", {8, 8, 4}, scale, scale_operands, usual_us},
        {"row_sum", {8, 8, 4, 4}, row_sum, row_sum_operands, row_sum_us},
        {"first_half", {8, 8, 4}, scale, scale_operands, usual_us},
        {"second_half", {8, 8, 4}, second_half, scale_operands, usual_us},
        {"nothing", {}, nothing, no_operands, usual_us},
    };
    return kernels;
}

}  // namespace warpwright::standin
