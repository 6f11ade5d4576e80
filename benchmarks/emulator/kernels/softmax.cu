extern "C" __global__ void softmax(const float* __restrict__ x, float* __restrict__ y, int cols) {
    const float* row = x + static_cast<long long>(blockIdx.x) * cols;
    float best = row[threadIdx.x], sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += 32) best = fmaxf(best, row[i]);
    for (int distance = 16; distance; distance >>= 1) best = fmaxf(best, __shfl_xor_sync(~0u, best, distance));
    for (int i = threadIdx.x; i < cols; i += 32) sum += __expf(row[i] - best);
    for (int distance = 16; distance; distance >>= 1) sum += __shfl_xor_sync(~0u, sum, distance);
    for (int i = threadIdx.x; i < cols; i += 32) y[static_cast<long long>(blockIdx.x) * cols + i] = __expf(row[i] - best) / sum;
}
