// Through dynamic shared memory, with streaming loads and a look at the clock.
extern "C" __global__ void axpb(float* y, const float* x, const float* b, float a, int n) {
    extern __shared__ float stage[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long began = clock64();
    stage[threadIdx.x] = i < n ? a * __ldcs(x + i) : 0.0f;
    __syncthreads();
    if (i < n && clock64() >= began) __stcs(y + i, stage[threadIdx.x] + __ldg(b + i));
}
