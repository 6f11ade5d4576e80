// C = A B, row-major n x n, fp32: from one dot product a thread to register tiles.
extern "C" __global__ void matmul_rows(const float* A, const float* B, float* C, int n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= n || c >= n) return;
    float s = 0.0f;
    for (int k = 0; k < n; ++k) s += A[r * n + k] * B[k * n + c];
    C[r * n + c] = s;
}
extern "C" __global__ void matmul_columns(const float* A, const float* B, float* C, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= n || c >= n) return;
    float s = 0.0f;
    for (int k = 0; k < n; ++k) s += A[r * n + k] * B[k * n + c];
    C[r * n + c] = s;
}
#define TILED(name, T)                                                                                      \
    extern "C" __global__ void name(const float* A, const float* B, float* C, int n) {                      \
        __shared__ float a[T][T], b[T][T];                                                                  \
        int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * T + y, c = blockIdx.x * T + x;               \
        float s = 0.0f;                                                                                     \
        for (int t = 0; t < n; t += T) {                                                                    \
            a[y][x] = r < n && t + x < n ? A[r * n + t + x] : 0.0f;                                         \
            b[y][x] = c < n && t + y < n ? B[(t + y) * n + c] : 0.0f;                                       \
            __syncthreads();                                                                                \
            for (int k = 0; k < T; ++k) s += a[y][k] * b[k][x];                                             \
            __syncthreads();                                                                                \
        }                                                                                                   \
        if (r < n && c < n) C[r * n + c] = s;                                                               \
    }
TILED(matmul_tile8, 8)
TILED(matmul_tile16, 16)
TILED(matmul_tile32, 32)
// 64 x 64 tile a block of 256 threads, 4 x 4 results a thread; n a multiple of 64.
extern "C" __global__ void matmul_registers(const float* A, const float* B, float* C, int n) {
    __shared__ float a[8][65], b[8][64];
    int t = threadIdx.x, x = t % 16, y = t / 16, row = blockIdx.y * 64, column = blockIdx.x * 64;
    float s[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = t; i < 512; i += 256) {
            a[i % 8][i / 8] = A[(row + i / 8) * n + k0 + i % 8];
            b[i / 64][i % 64] = B[(k0 + i / 64) * n + column + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 8; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) s[i][j] += a[k][y * 4 + i] * b[k][x + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) C[(row + y * 4 + i) * n + column + x + 16 * j] = s[i][j];
}
extern "C" __global__ void gemv_thread(const float* A, const float* x, float* y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.0f;
    for (int c = 0; c < cols; ++c) s += A[(long long)r * cols + c] * x[c];
    y[r] = s;
}
extern "C" __global__ void gemv_warp(const float* A, const float* x, float* y, int rows, int cols) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (r >= rows) return;
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32) s += A[(long long)r * cols + c] * x[c];
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) y[r] = s;
}
