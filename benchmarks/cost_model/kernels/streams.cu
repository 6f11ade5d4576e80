// Element-wise work and copies: width of an access, blocks, strides.
extern "C" __global__ void saxpy(const float* x, const float* y, float* z, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + y[i];
}
extern "C" __global__ void saxpy4(const float4* x, const float4* y, float4* z, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 u = x[i], v = y[i];
        z[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
    }
}
extern "C" __global__ void saxpy_loop(const float* x, const float* y, float* z, float a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) z[i] = a * x[i] + y[i];
}
extern "C" __global__ void saxpy_chunk(const float* x, const float* y, float* z, float a, int n, int chunk) {
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    for (int i = begin; i < begin + chunk && i < n; ++i) z[i] = a * x[i] + y[i];
}
extern "C" __global__ void transpose_direct(const float* in, float* out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) out[(long long)c * rows + r] = in[(long long)r * cols + c];
}
#define TILED(name, PAD)                                                                                     \
    extern "C" __global__ void name(const float* in, float* out, int rows, int cols) {                       \
        __shared__ float tile[32][32 + PAD];                                                                 \
        int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;                            \
        for (int j = 0; j < 32; j += blockDim.y)                                                             \
            if (r + j < rows && c < cols) tile[threadIdx.y + j][threadIdx.x] = in[(long long)(r + j) * cols + c]; \
        __syncthreads();                                                                                     \
        c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;                                \
        for (int j = 0; j < 32; j += blockDim.y)                                                             \
            if (r + j < cols && c < rows) out[(long long)(r + j) * rows + c] = tile[threadIdx.x][threadIdx.y + j]; \
    }
TILED(transpose_tile, 0)
TILED(transpose_padded, 1)
extern "C" __global__ void stencil(const float* u, float* v, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    int i = y * n + x;
    v[i] = 0.2f * (u[i] + u[i - 1] + u[i + 1] + u[i - n] + u[i + n]);
}
