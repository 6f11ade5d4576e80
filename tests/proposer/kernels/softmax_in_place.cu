// The row is overwritten by its exponentials, then scaled.
extern "C" __global__ void softmax_in_place(float* x, int rows, int cols) {
    int row = threadIdx.x + blockDim.x * blockIdx.x;
    if (row < rows) {
        float peak = -3.0e38f;
        for (int c = 0; c < cols; c++) {
            float v = x[row * cols + c];
            if (v > peak) peak = v;
        }
        float total = 0;
        for (int c = 0; c < cols; c++) {
            float e = expf(x[row * cols + c] - peak);
            x[row * cols + c] = e;
            total += e;
        }
        for (int i = cols - cols; i < cols; i += 1) x[row * cols + i] /= total;
    }
}
