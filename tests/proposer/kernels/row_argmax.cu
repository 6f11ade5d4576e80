extern "C" __global__ void row_argmax(const float* x, int* at, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float best = x[r * cols];
    int where = 0;
    for (int c = 1; c < cols; ++c) {
        if (x[r * cols + c] > best) {
            best = x[r * cols + c];
            where = c;
        }
    }
    at[r] = where;
}
