// Row softmax, y = exp(x - max) / sum(exp(x - max)). Plain: one thread per row, three passes over the row.
// Combines a value over all threads of a block of whole warps; every thread gets the same result.
template <typename T>
__device__ __forceinline__ T block_max(T value) {
    __shared__ T of_warp[32];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        const T a = value, b = __shfl_xor_sync(0xffffffffu, value, offset);
        value = fmaxf(a, b);
    }
    __syncthreads();  // the values of an earlier call may still be read
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warp[0];
    for (int warp = 1; warp < blockDim.x / 32; ++warp) {
        const T a = value, b = of_warp[warp];
        value = fmaxf(a, b);
    }
    return value;
}

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

extern "C" __global__ void softmax(float* __restrict__ y, const float* __restrict__ x, int rows, int cols) {
    const int lane = threadIdx.x;
    int row = blockIdx.x;
    if (row >= rows) return;
    const float* in = x + (long long)row * cols;
    float* out = y + (long long)row * cols;
    float top = in[0];
    float top_part = top;
    int chunks = 0;
    { const int c = 0; if (cols > 0 && reinterpret_cast<unsigned long long>(&in[c]) % alignof(Pack<float, VEC>) == 0) chunks = (cols) / VEC; }
    if (chunks <= (1 + VEC - 1) / VEC) chunks = 0;
    for (int c = 1 + (1 + lane - 1); c < (chunks > 0 ? (1 + VEC - 1) / VEC * VEC : 1); c += blockDim.x) top_part = fmaxf(top_part, in[c]);
    for (int chunk = (1 + VEC - 1) / VEC + (1 + lane - 1); chunk < chunks; chunk += blockDim.x) {
        Pack<float, VEC> x_pack;
        { const int c = chunk * VEC; x_pack = *reinterpret_cast<const Pack<float, VEC>*>(&in[c]); }
    #pragma unroll
        for (int element = 0; element < VEC; ++element) {
            const int c = chunk * VEC + element;
            top_part = fmaxf(top_part, x_pack.value[element]);
        }
    }
    for (int c = (chunks > 0 ? chunks * VEC : 1) + (1 + lane - 1); c < cols; c += blockDim.x) top_part = fmaxf(top_part, in[c]);
    top = block_max(top_part);
    float sum = 0.0f;
    float sum_part = 0;
    int chunks_2 = 0;
    { const int c = 0; if (cols > 0 && reinterpret_cast<unsigned long long>(&in[c]) % alignof(Pack<float, VEC>) == 0) chunks_2 = (cols) / VEC; }
    for (int chunk = lane; chunk < chunks_2; chunk += blockDim.x) {
        Pack<float, VEC> x_pack;
        { const int c = chunk * VEC; x_pack = *reinterpret_cast<const Pack<float, VEC>*>(&in[c]); }
    #pragma unroll
        for (int element = 0; element < VEC; ++element) {
            const int c = chunk * VEC + element;
            sum_part += expf(x_pack.value[element] - top);
        }
    }
    for (int c = chunks_2 * VEC + lane; c < cols; c += blockDim.x) sum_part += expf(in[c] - top);
    sum += block_sum(sum_part);
    int chunks_3 = 0;
    { const int c = 0; if (cols > 0 && reinterpret_cast<unsigned long long>(&out[c]) % alignof(Pack<float, VEC>) == 0 && reinterpret_cast<unsigned long long>(&in[c]) % alignof(Pack<float, VEC>) == 0) chunks_3 = (cols) / VEC; }
    for (int chunk = lane; chunk < chunks_3; chunk += blockDim.x) {
        Pack<float, VEC> y_pack;
        Pack<float, VEC> x_pack;
        { const int c = chunk * VEC; x_pack = *reinterpret_cast<const Pack<float, VEC>*>(&in[c]); }
    #pragma unroll
        for (int element = 0; element < VEC; ++element) {
            const int c = chunk * VEC + element;
            y_pack.value[element] = expf(x_pack.value[element] - top) / sum;
        }
        { const int c = chunk * VEC; *reinterpret_cast<Pack<float, VEC>*>(&out[c]) = y_pack; }
    }
    for (int c = chunks_3 * VEC + lane; c < cols; c += blockDim.x) out[c] = expf(in[c] - top) / sum;
}
