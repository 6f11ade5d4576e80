// out[0] = sum of x. Plain: every thread adds one element to out, which holds 0 before the launch.
// Combines a value over all threads of a block of whole warps; every thread gets the same result.
template <typename T>
__device__ __forceinline__ T block_sum(T value) {
    __shared__ T of_warp[32];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        const T a = value, b = __shfl_xor_sync(0xffffffffu, value, offset);
        value = a + b;
    }
    __syncthreads();  // the values of an earlier call may still be read
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warp[0];
    for (int warp = 1; warp < blockDim.x / 32; ++warp) {
        const T a = value, b = of_warp[warp];
        value = a + b;
    }
    return value;
}

// Neighbouring elements that are moved as one, in accesses of up to 16 bytes.
template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Pack {
    T value[N];
};

extern "C" __global__ void reduce_sum(float* __restrict__ out, const float* __restrict__ x, int n) {
    float out_part = 0;
    int chunks = 0;
    { const int i = 0; if (n > 0 && reinterpret_cast<unsigned long long>(&x[i]) % alignof(Pack<float, VEC>) == 0) chunks = (n) / VEC; }
    for (int chunk = blockIdx.x * blockDim.x + threadIdx.x; chunk < chunks; chunk += gridDim.x * blockDim.x) {
        Pack<float, VEC> x_pack;
        { const int i = chunk * VEC; x_pack = *reinterpret_cast<const Pack<float, VEC>*>(&x[i]); }
    #pragma unroll
        for (int element = 0; element < VEC; ++element) {
            const int i = chunk * VEC + element;
            {
    out_part += (x_pack.value[element]);
    }
        }
    }
    for (int i = chunks * VEC + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out_part += (x[i]);
    }
    out_part = block_sum(out_part);
    if (threadIdx.x == 0) atomicAdd(out, out_part);
}
