// A tree reduction that forgets the barrier between its steps: right only if warps happen to run in order.
extern "C" __global__ void row_sum(float* y, const float* x, int rows, int cols) {
    __shared__ float part[128];
    const float* row = x + (long long)blockIdx.x * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 128) sum += row[c];
    for (int spin = (threadIdx.x / 32) * 400; spin > 0; --spin) asm volatile("");
    part[threadIdx.x] = sum;
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
