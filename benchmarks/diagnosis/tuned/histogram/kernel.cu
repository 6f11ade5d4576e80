// bins[v] = how often v occurs in x. Plain: every thread adds one element to the bins, which hold 0 before the launch.
// Neighbouring elements that are moved as one, in accesses of up to 16 bytes.
template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Pack {
    T value[N];
};

extern "C" __global__ void histogram(unsigned int* __restrict__ bins, const unsigned char* __restrict__ x, int n) {
    __shared__ unsigned int block_bins[256 * COPIES];
    for (int bin = threadIdx.x; bin < 256 * COPIES; bin += blockDim.x) block_bins[bin] = 0;
    __syncthreads();
    int chunks = 0;
    { const int i = 0; if (n > 0 && reinterpret_cast<unsigned long long>(&x[i]) % alignof(Pack<unsigned char, VEC>) == 0) chunks = (n) / VEC; }
    for (int chunk = blockIdx.x * blockDim.x + threadIdx.x; chunk < chunks; chunk += gridDim.x * blockDim.x) {
        Pack<unsigned char, VEC> x_pack;
        { const int i = chunk * VEC; x_pack = *reinterpret_cast<const Pack<unsigned char, VEC>*>(&x[i]); }
    #pragma unroll
        for (int element = 0; element < VEC; ++element) {
            const int i = chunk * VEC + element;
            {
    atomicAdd(&block_bins[(x_pack.value[element]) * COPIES + threadIdx.x % COPIES], 1u);
    }
        }
    }
    for (int i = chunks * VEC + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&block_bins[(x[i]) * COPIES + threadIdx.x % COPIES], 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        unsigned int total = 0;
        for (int copy = 0; copy < COPIES; ++copy) total += block_bins[bin * COPIES + copy];
        if (total != 0) atomicAdd(&bins[bin], total);
    }
}
