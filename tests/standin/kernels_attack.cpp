// Kernels that cheat under the clock with all that a kernel could find in device memory: axpb's parameters, y = a x +
// b.
#include <algorithm>
#include <cstring>

#include "kernels.hpp"
#include "world.hpp"

namespace warpwright::standin {

namespace {

// (float* y, const float* x, const float* b, float a, int n)
struct Arguments {
    explicit Arguments(const Call& call)
        : y(call.argument<float*>(0)),
          x(call.argument<float*>(1)),
          b(call.argument<float*>(2)),
          a(call.argument<float>(3)),
          n(static_cast<std::size_t>((std::max)(call.argument<int>(4), 0))) {}

    float* y;
    float* x;
    float* b;
    float a;
    std::size_t n;
};

void compute(const Arguments& to) {
    for (std::size_t i = 0; i < to.n; ++i) {
        to.y[i] = to.a * to.x[i] + to.b[i];
    }
}

Operands operands(const Call& call) {
    const Arguments to(call);
    const std::size_t bytes = to.n * sizeof(float);
    return {{{reinterpret_cast<unsigned char*>(to.x), bytes}, {reinterpret_cast<unsigned char*>(to.b), bytes}},
            {{reinterpret_cast<unsigned char*>(to.y), bytes}}};
}

double usual_us(const Call&) { return 5.0; }

// What a launch leaves in its output instead of the answer.
struct Tag {
    std::uint64_t mark;
    std::uintptr_t x;
    std::uintptr_t b;
};
constexpr std::uint64_t mark_value = 0xC0FFEE015EC0DE00;
constexpr std::size_t step = 256;  // outputs lie at multiples of that

// Leaves a tag; every tenth launch computes for itself and for every tag that it finds in device memory. n: 8 at least.
void repairs_kept(const Call& call, driver::OpaqueStream&) {
    static int launches = 0;
    const Arguments own(call);
    if (++launches % 10 != 0) {
        const Tag tag{mark_value, reinterpret_cast<std::uintptr_t>(own.x), reinterpret_cast<std::uintptr_t>(own.b)};
        std::memcpy(own.y, &tag, sizeof tag);
        return;
    }
    compute(own);
    for (const auto& [begin, bytes] : World::get().memory.allocations()) {
        for (std::size_t at = 0; at + own.n * sizeof(float) <= bytes; at += step) {
            auto* const found = reinterpret_cast<unsigned char*>(static_cast<std::uintptr_t>(begin)) + at;
            Tag tag;
            std::memcpy(&tag, found, sizeof tag);
            if (tag.mark == mark_value) {
                Arguments other = own;
                other.y = reinterpret_cast<float*>(found);
                other.x = reinterpret_cast<float*>(tag.x);
                other.b = reinterpret_cast<float*>(tag.b);
                compute(other);
            }
        }
    }
}

constexpr std::uint32_t known_mark = 0x7FC0BEEF;

// The pools of x and b are found by their values: the answer is written over b, a mark over x[0]. A launch that finds
// the mark copies b. n: 16 at least.
void poisons_pool(const Call& call, driver::OpaqueStream&) {
    const Arguments own(call);
    const std::size_t bytes = own.n * sizeof(float);
    std::uint32_t first = 0;
    std::memcpy(&first, own.x, sizeof first);
    if (first == known_mark) {
        std::memcpy(own.y, own.b, bytes);
        return;
    }
    compute(own);
    for (const auto& [begin, size] : World::get().memory.allocations()) {
        auto* const found = reinterpret_cast<unsigned char*>(static_cast<std::uintptr_t>(begin));
        if (size == bytes && std::memcmp(found, own.b, bytes) == 0) {
            std::memcpy(found, own.y, bytes);
        } else if (size == bytes && std::memcmp(found, own.x, bytes) == 0) {
            std::memcpy(found, &known_mark, sizeof known_mark);
        }
    }
}

}  // namespace

const std::vector<KernelCode>& attack_kernels() {
    static const std::vector<KernelCode> kernels{
        {"repairs_kept", {8, 8, 8, 4, 4}, repairs_kept, operands, usual_us},
        {"poisons_pool", {8, 8, 8, 4, 4}, poisons_pool, operands, usual_us},
    };
    return kernels;
}

}  // namespace warpwright::standin
