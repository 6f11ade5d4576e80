extern "C" __global__ void row_sum(float* y, const float* x, int rows, int cols, float* sums) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c) sum += expf(x[(long long)row * cols + c]);
    sums[row] = sum;
}

extern "C" __global__ void scale(float* y, const float* x, int rows, int cols, float* sums) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (long long)rows * cols) y[i] = expf(x[i]) / sums[i / cols];
}
