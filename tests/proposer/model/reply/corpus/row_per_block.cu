// One block for each row; partial results meet in shared memory.
__device__ float larger(float a, float b) { return a > b ? a : b; }

extern "C" __global__ void softmax(float* y, const float* x, int rows, int cols) {
    __shared__ float part[BLOCK];
    const float* in = x + (long long)blockIdx.x * cols;
    float* out = y + (long long)blockIdx.x * cols;
    float top = in[0];
    for (int c = threadIdx.x; c < cols; c += BLOCK) top = larger(top, in[c]);
    part[threadIdx.x] = top;
    __syncthreads();
    for (int i = 0; i < BLOCK; ++i) top = larger(top, part[i]); // every thread reads all of them
    __syncthreads();
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK) sum += expf(in[c] - top);
    part[threadIdx.x] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int i = 0; i < BLOCK; ++i) sum += part[i];
    for (int c = threadIdx.x; c < cols; c += BLOCK) out[c] = expf(in[c] - top) / sum;
}
