// y = alpha * A x + y
extern "C" __global__ void gemv(const float* a, const float* x, float* y, int rows, int cols, float alpha) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float dot = 0.0f;
#pragma unroll 4
        for (int j = 0; j < cols; ++j) dot = fmaf(a[(size_t)row * cols + j], __ldg(&x[j]), dot);
        y[row] += alpha * dot;
    }
}
