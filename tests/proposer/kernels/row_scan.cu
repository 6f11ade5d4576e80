extern "C" __global__ void row_scan(const float* x, float* y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c) {
        sum += x[r * cols + c];
        y[r * cols + c] = sum;
    }
}
