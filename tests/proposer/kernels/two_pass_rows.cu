// The second loop reads what the first wrote, mirrored, so threads that share the row must wait in between.
extern "C" __global__ void two_pass_rows(const float* x, float* y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float total = 0.0f;
    for (int c = 0; c < cols; ++c) y[r * cols + c] = 2.0f * x[r * cols + c];
    for (int c = 0; c < cols; ++c) total += y[r * cols + cols - 1 - c] * x[r * cols + c];
    for (int c = 0; c < cols; ++c) y[r * cols + c] = total;
    total = 1.0f;
    for (int c = 0; c < cols; ++c) total += y[r * cols + c];
    y[r * cols] = total;
}
