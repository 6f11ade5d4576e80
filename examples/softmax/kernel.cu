// Row softmax, y = exp(x - max) / sum(exp(x - max)). Plain: one thread per row, three passes over the row.
extern "C" __global__ void softmax(float* y, const float* x, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* in = x + (long long)row * cols;
    float* out = y + (long long)row * cols;
    float top = in[0];
    for (int c = 1; c < cols; ++c) top = fmaxf(top, in[c]);
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c) sum += expf(in[c] - top);
    for (int c = 0; c < cols; ++c) out[c] = expf(in[c] - top) / sum;
}
