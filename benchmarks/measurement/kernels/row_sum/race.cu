// Adds without atomics: threads lose each other's sums.
extern "C" __global__ void row_sum(float* y, const float* x, int rows, int cols) {
    const float* row = x + (long long)blockIdx.x * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += row[c];
    volatile float* total = y + blockIdx.x;
    *total = *total + sum;
}
