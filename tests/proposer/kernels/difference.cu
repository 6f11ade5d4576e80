extern "C" __global__ void difference(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float before = i > 0 ? x[i - 1] : 0.0f;
        y[i] = x[i] - before;
    }
}
