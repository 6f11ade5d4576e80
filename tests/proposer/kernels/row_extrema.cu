extern "C" __global__ void row_extrema(const int* x, int* low, int* high, int* ones, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int least = x[r * cols], most = least, bits = 0;
    for (int c = 0; c < cols; ++c) {
        int v = x[r * cols + c];
        least = min(least, v);
        most = most > v ? most : v;
        if (v & 1) ++bits;
    }
    low[r] = least;
    high[r] = most;
    if (bits > 0) ones[r] = bits; else ones[r] = -1;
}
