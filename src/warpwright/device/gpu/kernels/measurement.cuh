// Kernels around the clock: empty, busy, cache, blocker, clock. Grid-stride loops, any grid.
#pragma once

#include "verification.cuh"

// Nanoseconds of the GPU's global timer; it advances in steps of up to about 1 us.
__device__ inline u64 global_timer() {
    u64 value;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
    return value;
}

// What a launch costs that does nothing.
extern "C" __global__ void ww_empty() {}

// Arithmetic for a while, so that the clocks go up.
extern "C" __global__ void ww_spin(u64 nanoseconds) {
    const u64 start = global_timer();
    float value = static_cast<float>(threadIdx.x);
    while (global_timer() - start < nanoseconds) {
        for (int i = 0; i < 64; ++i) {
            value = fmaf(value, 0.999f, 1.0f);
        }
        asm volatile("" : "+f"(value));  // keeps the work, which nobody reads
    }
}

// Writes `count` 16-byte words; what L2 held before is gone if they exceed it.
extern "C" __global__ void ww_flush_write(uint4* p, u64 count, u32 value) {
    for (u64 i = thread_number(); i < count; i += thread_count()) {
        p[i] = make_uint4(value, value, value, value);
    }
}

// `count` mapped lines of 128 bytes from a multiple of 128 on: L2 evicts them like any other, whatever priority a
// candidate gave them. Before sm_80 there are no such priorities. Source: PTX ISA 7.4, applypriority.
extern "C" __global__ void ww_demote(const u8* lines, u64 count) {
#if __CUDA_ARCH__ >= 800
    for (u64 i = thread_number(); i < count; i += thread_count()) {
        asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(__cvta_generic_to_global(lines + 128 * i))
                     : "memory");
    }
#endif
}

// Reads `count` 16-byte words. sink: one word, written only for one value of their sum, so that the reads stay.
extern "C" __global__ void ww_read(const uint4* p, u64 count, u32* sink) {
    u32 total = 0;
    for (u64 i = thread_number(); i < count; i += thread_count()) {
        const uint4 word = p[i];
        total += word.x ^ word.y ^ word.z ^ word.w;
    }
    if (total == 0x5EED1E55u) {
        *sink = total;
    }
}

// One thread that holds its stream until the host sets the flag, and `timeout_ns` at most: *timed_out = 1 then.
extern "C" __global__ void ww_block(volatile u32* flag, u64 timeout_ns, u32* timed_out) {
    const u64 start = global_timer();
    while (*flag == 0) {
        if (global_timer() - start > timeout_ns) {
            *timed_out = 1;
            __threadfence_system();
            return;
        }
        __nanosleep(200);
    }
}

// slots[2 * SM] = nanoseconds, slots[2 * SM + 1] = cycles, taken when the global timer steps. Thread 0 of each block.
extern "C" __global__ void ww_clock(u64* slots) {
    if (threadIdx.x != 0) {
        return;
    }
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const u64 before = global_timer();
    u64 now = global_timer();
    while (now == before) {
        now = global_timer();
    }
    const u64 cycles = static_cast<u64>(clock64());
    // One 16-byte store: two blocks on one SM never mix their halves.
    reinterpret_cast<ulonglong2*>(slots)[sm] = make_ulonglong2(now, cycles);
}
