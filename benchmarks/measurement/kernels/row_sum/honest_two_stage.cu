// Partial sums in scratch that is cleared by a launch of its own, then a second stage.
extern "C" __global__ void clear(float* parts, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 * rows) parts[i] = 0.0f;
}

extern "C" __global__ void partial(float* parts, const float* x, int cols) {
    const float* row = x + (long long)blockIdx.x * cols;
    float sum = 0.0f;
    for (int c = blockIdx.y * blockDim.x + threadIdx.x; c < cols; c += gridDim.y * blockDim.x) sum += row[c];
    atomicAdd(parts + 4 * blockIdx.x + blockIdx.y, sum);
}

extern "C" __global__ void total(float* y, const float* parts, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) y[row] = parts[4 * row] + parts[4 * row + 1] + parts[4 * row + 2] + parts[4 * row + 3];
}
