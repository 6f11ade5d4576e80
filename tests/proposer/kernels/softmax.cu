extern "C" __global__ void softmax(const float* x, float* y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float* p = x + (long long)r * cols;
    float* q = y + (long long)r * cols;
    float m = p[0];
    for (int c = 1; c < cols; ++c) m = fmaxf(m, p[c]);
    float s = 0.0f;
    for (int c = 0; c < cols; ++c) s += expf(p[c] - m);
    for (int c = 0; c < cols; ++c) q[c] = expf(p[c] - m) / s;
}
