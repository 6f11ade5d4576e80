// Kernels that make inputs and look for bytes that changed. Grid-stride loops, any grid.
#pragma once

#include "generate.cuh"

using warpwright::generated::u32;
using warpwright::generated::u64;
using warpwright::generated::u8;

// 0-based number of this thread and the number of threads, both in the whole grid.
__device__ inline u64 thread_number() { return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline u64 thread_count() { return static_cast<u64>(gridDim.x) * blockDim.x; }

// element, kind: RecipeKind and Element of harness/src/protocol/requests.hpp by number.
extern "C" __global__ void ww_generate(void* out, u64 count, u32 element, u32 kind, u64 key_low, u64 key_high,
                                       double first, double second, u64 first_integer, u64 range) {
    const warpwright::generated::Recipe recipe{count, element, kind,          key_low, key_high,
                                               first, second,  first_integer, range};
    const u64 blocks = warpwright::generated::block_count(recipe);
    for (u64 block = thread_number(); block < blocks; block += thread_count()) {
        warpwright::generated::store_block(out, recipe, block);
    }
}

// Bytes that differ among `bytes` bytes, by 16 at a time; offset: of a and b from the arrays' starts.
__device__ inline void differ_part(const u8* a, const u8* b, u64 offset, u64 bytes, u64& number, u64& first) {
    for (u64 i = offset; i < offset + bytes; ++i) {
        if (a[i] != b[i]) {
            ++number;
            first = i < first ? i : first;
        }
    }
}

// result[0] += number of differing bytes, result[1] = least offset of one; before: {0, all bits set}.
extern "C" __global__ void ww_differ(const u8* a, const u8* b, u64 bytes, u64* result) {
    u64 number = 0, first = ~0ull;
    const bool aligned = ((reinterpret_cast<u64>(a) | reinterpret_cast<u64>(b)) & 15) == 0;
    const u64 whole = aligned ? bytes / 16 : 0;
    const uint4* a16 = reinterpret_cast<const uint4*>(a);
    const uint4* b16 = reinterpret_cast<const uint4*>(b);
    for (u64 i = thread_number(); i < whole; i += thread_count()) {
        const uint4 x = a16[i], y = b16[i];
        if (x.x != y.x || x.y != y.y || x.z != y.z || x.w != y.w) {
            differ_part(a, b, 16 * i, 16, number, first);
        }
    }
    for (u64 i = 16 * whole + thread_number(); i < bytes; i += thread_count()) {
        differ_part(a, b, i, 1, number, first);
    }
    if (number != 0) {
        atomicAdd(result, number);
        atomicMin(result + 1, first);
    }
}

// Fills `words` words of dynamic shared memory with a pattern. sink: one word, written only if memory forgets.
extern "C" __global__ void ww_fill_shared(u32 pattern, u32 words, u32* sink) {
    extern __shared__ u32 dynamic_shared[];
    volatile u32* shared = dynamic_shared;
    for (u32 i = threadIdx.x; i < words; i += blockDim.x) {
        shared[i] = pattern;
    }
    __syncthreads();
    if (threadIdx.x < words && shared[words - 1 - threadIdx.x] != pattern) {
        *sink = 1;
    }
}
