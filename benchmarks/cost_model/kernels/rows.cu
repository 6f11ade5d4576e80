// Softmax and RMS norm of rows: who works on a row decides everything.
#define FULL 0xffffffffu

__device__ float warp_max(float v) {
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL, v, o));
    return v;
}
__device__ float warp_sum(float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
    return v;
}
__device__ float block_reduce(float v, bool take_max) {
    __shared__ float part[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    v = take_max ? warp_max(v) : warp_sum(v);
    __syncthreads();
    if (lane == 0) part[warp] = v;
    __syncthreads();
    v = lane < warps ? part[lane] : (take_max ? -3.4e38f : 0.0f);
    return take_max ? warp_max(v) : warp_sum(v);
}

extern "C" __global__ void softmax_thread(const float* x, float* y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float* p = x + (long long)r * cols;
    float* q = y + (long long)r * cols;
    float m = p[0], s = 0.0f;
    for (int c = 1; c < cols; ++c) m = fmaxf(m, p[c]);
    for (int c = 0; c < cols; ++c) s += expf(p[c] - m);
    for (int c = 0; c < cols; ++c) q[c] = expf(p[c] - m) / s;
}
extern "C" __global__ void softmax_warp(const float* x, float* y, int rows, int cols) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (r >= rows) return;
    const float* p = x + (long long)r * cols;
    float* q = y + (long long)r * cols;
    float m = -3.4e38f, s = 0.0f;
    for (int c = lane; c < cols; c += 32) m = fmaxf(m, p[c]);
    m = warp_max(m);
    for (int c = lane; c < cols; c += 32) s += expf(p[c] - m);
    s = 1.0f / warp_sum(s);
    for (int c = lane; c < cols; c += 32) q[c] = expf(p[c] - m) * s;
}
extern "C" __global__ void softmax_block(const float* x, float* y, int rows, int cols) {
    const float* p = x + (long long)blockIdx.x * cols;
    float* q = y + (long long)blockIdx.x * cols;
    float m = -3.4e38f, s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, p[c]);
    m = block_reduce(m, true);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += expf(p[c] - m);
    s = 1.0f / block_reduce(s, false);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) q[c] = expf(p[c] - m) * s;
}
extern "C" __global__ void softmax_block4(const float4* x, float4* y, int rows, int cols) {
    int n = cols / 4;
    const float4* p = x + (long long)blockIdx.x * n;
    float4* q = y + (long long)blockIdx.x * n;
    float m = -3.4e38f, s = 0.0f;
    for (int c = threadIdx.x; c < n; c += blockDim.x) {
        float4 v = p[c];
        m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    m = block_reduce(m, true);
    for (int c = threadIdx.x; c < n; c += blockDim.x) {
        float4 v = p[c];
        s += expf(v.x - m) + expf(v.y - m) + expf(v.z - m) + expf(v.w - m);
    }
    s = 1.0f / block_reduce(s, false);
    for (int c = threadIdx.x; c < n; c += blockDim.x) {
        float4 v = p[c];
        q[c] = make_float4(expf(v.x - m) * s, expf(v.y - m) * s, expf(v.z - m) * s, expf(v.w - m) * s);
    }
}

extern "C" __global__ void rmsnorm_thread(const float* x, const float* w, float* y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float* p = x + (long long)r * cols;
    float s = 0.0f;
    for (int c = 0; c < cols; ++c) s += p[c] * p[c];
    float k = rsqrtf(s / cols + 1e-6f);
    for (int c = 0; c < cols; ++c) y[(long long)r * cols + c] = p[c] * k * w[c];
}
extern "C" __global__ void rmsnorm_warp(const float* x, const float* w, float* y, int rows, int cols) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (r >= rows) return;
    const float* p = x + (long long)r * cols;
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32) s += p[c] * p[c];
    float k = rsqrtf(warp_sum(s) / cols + 1e-6f);
    for (int c = lane; c < cols; c += 32) y[(long long)r * cols + c] = p[c] * k * w[c];
}
extern "C" __global__ void rmsnorm_block(const float* x, const float* w, float* y, int rows, int cols) {
    const float* p = x + (long long)blockIdx.x * cols;
    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += p[c] * p[c];
    float k = rsqrtf(block_reduce(s, false) / cols + 1e-6f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) y[(long long)blockIdx.x * cols + c] = p[c] * k * w[c];
}
