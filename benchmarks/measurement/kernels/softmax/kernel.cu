// One block a row: maximum, sum, quotient.
__device__ float across_block(float value, float* part, bool largest) {
    part[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            float a = part[threadIdx.x], b = part[threadIdx.x + half];
            part[threadIdx.x] = largest ? fmaxf(a, b) : a + b;
        }
        __syncthreads();
    }
    float result = part[0];
    __syncthreads();
    return result;
}

extern "C" __global__ void softmax(float* y, const float* x, int rows, int cols) {
    __shared__ float part[256];
    const float* in = x + (long long)blockIdx.x * cols;
    float* out = y + (long long)blockIdx.x * cols;
    float top = __int_as_float(0xff800000);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) top = fmaxf(top, in[c]);
    top = across_block(top, part, true);
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(in[c] - top);
    sum = across_block(sum, part, false);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[c] = expf(in[c] - top) / sum;
}
