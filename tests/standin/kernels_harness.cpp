// The harness's own kernels. Values come from the header that the GPU uses too.
#include <algorithm>
#include <chrono>
#include <thread>

#include "kernels.hpp"
#include "sum.cuh"
#include "world.hpp"

namespace warpwright::standin {

namespace {

using driver::OpaqueStream;

double no_time(const Call&) { return 0.0; }

Operands no_operands(const Call&) { return {}; }

void empty(const Call&, OpaqueStream&) {}

// (void* out, u64 count, u32 element, u32 kind, u64 key_low, u64 key_high, double first, double second,
//  u64 first_integer, u64 range)
void generate(const Call& call, OpaqueStream&) {
    const generated::Recipe recipe{
        call.argument<generated::u64>(1), call.argument<generated::u32>(2), call.argument<generated::u32>(3),
        call.argument<generated::u64>(4), call.argument<generated::u64>(5), call.argument<double>(6),
        call.argument<double>(7),         call.argument<generated::u64>(8), call.argument<generated::u64>(9)};
    void* const out = call.argument<void*>(0);
    for (generated::u64 block = 0; block < generated::block_count(recipe); ++block) {
        generated::store_block(out, recipe, block);
    }
}

double bandwidth_us(std::uint64_t bytes) { return static_cast<double>(bytes) / 3e6; }  // 3 TB/s

double generate_us(const Call& call) { return 1.0 + bandwidth_us(4 * call.argument<std::uint64_t>(1)); }

// (const u8* a, const u8* b, u64 bytes, u64* result)
void differ(const Call& call, OpaqueStream&) {
    const auto* const a = call.argument<const unsigned char*>(0);
    const auto* const b = call.argument<const unsigned char*>(1);
    auto* const result = call.argument<std::uint64_t*>(3);
    for (std::uint64_t i = 0; i < call.argument<std::uint64_t>(2); ++i) {
        if (a[i] != b[i]) {
            ++result[0];
            result[1] = std::min(result[1], i);
        }
    }
}

// (u64 nanoseconds): costs virtual time only.
double spin_us(const Call& call) { return static_cast<double>(call.argument<std::uint64_t>(0)) / 1e3; }

// (uint4* p, u64 count, u32 value): only the ends are really written, so that tests do not wait for memory.
void flush_write(const Call& call, OpaqueStream&) {
    auto* const bytes = call.argument<unsigned char*>(0);
    if (const auto count = call.argument<std::uint64_t>(1); count > 0) {
        std::memset(bytes, static_cast<int>(call.argument<std::uint32_t>(2) & 0xFF), 16);
        std::memset(bytes + 16 * (count - 1), static_cast<int>(call.argument<std::uint32_t>(2) & 0xFF), 16);
    }
}

double flush_us(const Call& call) { return 1.0 + bandwidth_us(16 * call.argument<std::uint64_t>(1)); }

Operands written(const Call& call) {
    return {{}, {{call.argument<unsigned char*>(0), 16 * call.argument<std::size_t>(1)}}};
}

// (const uint4* p, u64 count, u32* sink): only the ends are really read.
void read(const Call& call, OpaqueStream&) {
    const auto* const bytes = call.argument<const volatile unsigned char*>(0);
    if (const auto count = call.argument<std::uint64_t>(1); count > 0) {
        static_cast<void>(bytes[0]);
        static_cast<void>(bytes[16 * count - 1]);
    }
}

// (const u8* lines, u64 count): nothing is cached here; the ends are read, so that lines that are not mapped fault.
void demote(const Call& call, OpaqueStream&) {
    const auto* const bytes = call.argument<const volatile unsigned char*>(0);
    if (const auto count = call.argument<std::uint64_t>(1); count > 0) {
        static_cast<void>(bytes[0]);
        static_cast<void>(bytes[128 * count - 1]);
    }
}

double demote_us(const Call& call) { return 1.0 + bandwidth_us(128 * call.argument<std::uint64_t>(1)); }

// (volatile u32* flag, u64 timeout_ns, u32* timed_out): really waits for the host.
void block(const Call& call, OpaqueStream& stream) {
    const auto* const flag = call.argument<const volatile std::uint32_t*>(0);
    const std::chrono::nanoseconds limit(call.argument<std::int64_t>(1));
    const auto start = std::chrono::steady_clock::now();
    bool timed_out = false;
    while (*flag == 0 && !timed_out) {
        timed_out = std::chrono::steady_clock::now() - start > limit;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    if (timed_out) {
        *call.argument<std::uint32_t*>(2) = 1;
    }
    stream.advance_us(100.0);  // about as long as queueing takes
    World::get().log.write({{"op", "unblocked"}, {"timed_out", timed_out}, {"waiting", stream.waiting()}});
}

// (u64* slots)
void clock(const Call& call, OpaqueStream& stream) {
    auto* const slots = call.argument<std::uint64_t*>(0);
    const auto count = static_cast<std::size_t>(World::get().settings().multiprocessors);
    for (std::size_t sm = 0; sm < count; ++sm) {
        slots[2 * sm] = stream.nanoseconds();
        slots[2 * sm + 1] = stream.cycles() + 1000 * sm;  // every SM counts from its own start
    }
}

// (const u8* data, u64 bytes, u64 key_low, u64 key_high, u64 first, u64* total)
void seal_sum(const Call& call, OpaqueStream&) {
    const auto* const data = call.argument<const unsigned char*>(0);
    const auto bytes = call.argument<generated::u64>(1);
    auto* const total = call.argument<generated::u64*>(5);
    for (generated::u64 block = 0; block < sealed::block_count(bytes); ++block) {
        *total += sealed::share(sealed::load(data, bytes, block), call.argument<generated::u64>(2),
                                call.argument<generated::u64>(3), call.argument<generated::u64>(4) + block);
    }
}

double seal_us(const Call& call) { return 1.0 + bandwidth_us(call.argument<std::uint64_t>(1)); }

// (u64* total, u64 expected, volatile u32* broken)
void seal_check(const Call& call, OpaqueStream&) {
    auto* const total = call.argument<std::uint64_t*>(0);
    const std::uint64_t found = *total;
    *total = 0;
    if (found != call.argument<std::uint64_t>(1)) {
        *call.argument<std::uint32_t*>(2) = 1;
        World::get().kill(launch_failed);
    }
}

}  // namespace

const std::vector<KernelCode>& harness_kernels() {
    static const std::vector<KernelCode> kernels{
        {"ww_empty", {}, empty, no_operands, no_time},
        {"ww_generate", {8, 8, 4, 4, 8, 8, 8, 8, 8, 8}, generate, no_operands, generate_us},
        {"ww_differ", {8, 8, 8, 8}, differ, no_operands, no_time},
        {"ww_fill_shared", {4, 4, 8}, empty, no_operands, no_time},
        {"ww_spin", {8}, empty, no_operands, spin_us},
        {"ww_flush_write", {8, 8, 4}, flush_write, written, flush_us},
        {"ww_read", {8, 8, 8}, read, no_operands, flush_us},
        {"ww_demote", {8, 8}, demote, no_operands, demote_us},
        {"ww_block", {8, 8, 8}, block, no_operands, no_time},
        {"ww_clock", {8}, clock, no_operands, no_time},
        {"ww_seal_sum", {8, 8, 8, 8, 8, 8}, seal_sum, no_operands, seal_us},
        {"ww_seal_check", {8, 8, 8}, seal_check, no_operands, no_time},
    };
    return kernels;
}

const KernelCode* find_kernel(const std::string& name) {
    for (const auto* part : {&harness_kernels(), &test_kernels(), &attack_kernels()}) {
        for (const KernelCode& kernel : *part) {
            if (name == kernel.name) {
                return &kernel;
            }
        }
    }
    return nullptr;
}

}  // namespace warpwright::standin
