// Already coalesced: neighbouring threads read neighbouring columns.
extern "C" __global__ void column_sum(const float* x, float* y, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float s = 0.0f;
    for (int r = 0; r < rows; ++r) s += x[r * cols + c];
    y[c] = s;
}
