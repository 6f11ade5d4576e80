// Kernels that see whether inputs kept on the device are as they were uploaded. Grid-stride loops, any grid.
#pragma once

#include "sum.cuh"
#include "verification.cuh"

// Block `block` of the array; whole ones by 16 bytes where the array is aligned to that.
__device__ inline warpwright::sealed::Block sealed_block(const u8* data, u64 bytes, u64 block, bool aligned) {
    using namespace warpwright::sealed;
    if (!aligned || bytes - block * block_bytes < block_bytes) {
        return load(data, bytes, block);
    }
    const uint4* words = reinterpret_cast<const uint4*>(data) + 2 * block;
    const uint4 a = words[0], b = words[1];
    return Block{{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
}

// *total += the sum of `bytes` bytes, mod 2^64. first: number of the array's first block. 1,024 threads a block at most,
// a multiple of 32.
extern "C" __global__ void ww_seal_sum(const u8* data, u64 bytes, u64 key_low, u64 key_high, u64 first, u64* total) {
    __shared__ u64 sums[32];
    const bool aligned = (reinterpret_cast<u64>(data) & 15) == 0;
    const u64 blocks = warpwright::sealed::block_count(bytes);
    u64 sum = 0;
    for (u64 block = thread_number(); block < blocks; block += thread_count()) {
        sum += warpwright::sealed::share(sealed_block(data, bytes, block, aligned), key_low, key_high, first + block);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 warp = 1; warp < blockDim.x / 32; ++warp) {
            sum += sums[warp];
        }
        atomicAdd(total, sum);
    }
}

// One thread that ends everything if the sum is another one: *broken = 1 then, in memory of the host. *total = 0, so that
// no sum lies in reach of a kernel.
extern "C" __global__ void ww_seal_check(u64* total, u64 expected, volatile u32* broken) {
    const u64 found = *total;
    *total = 0;
    if (found != expected) {
        *broken = 1;
        __threadfence_system();
        __trap();
    }
}
