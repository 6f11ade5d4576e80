// Combines a value over all threads of a block of whole warps; every thread gets the same result.
template <typename T>
__device__ __forceinline__ T $name(T value) {
    __shared__ T of_warp[32];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        const T a = value, b = __shfl_xor_sync(0xffffffffu, value, offset);
        value = $combine;
    }
    __syncthreads();  // the values of an earlier call may still be read
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warp[0];
    for (int warp = 1; warp < blockDim.x / 32; ++warp) {
        const T a = value, b = of_warp[warp];
        value = $combine;
    }
    return value;
}

