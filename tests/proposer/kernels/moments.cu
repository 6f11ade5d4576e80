extern "C" __global__ void moments(const float* x, float* sums, unsigned int* peak, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    atomicAdd(&sums[0], v);
    if (v > 0.0f) {
        atomicAdd(&sums[1], v * v);
        atomicMax(peak, (unsigned int)(v * 1000.0f));
    }
}
