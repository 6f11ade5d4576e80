// Each of 64 threads computes 8 x 8 results of a 64 x 64 tile: a long, fully unrolled kernel.
constexpr int TILE = 64, DEPTH = 8, PER_THREAD = 8;

extern "C" __global__ void __launch_bounds__(64)
    matmul_registers(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float tile_a[DEPTH][TILE], tile_b[DEPTH][TILE];
    int thread = threadIdx.x, ty = thread / 8, tx = thread % 8;
    const float* rows = a + blockIdx.y * TILE * n;
    const float* cols = b + blockIdx.x * TILE;
    float sum[PER_THREAD][PER_THREAD] = {};
    for (int start = 0; start < n; start += DEPTH) {
        for (int i = 0; i < DEPTH; i += 4) {
            float4 v = *reinterpret_cast<const float4*>(&rows[thread * n + start + i]);
            tile_a[i][thread] = v.x;
            tile_a[i + 1][thread] = v.y;
            tile_a[i + 2][thread] = v.z;
            tile_a[i + 3][thread] = v.w;
        }
        for (int i = thread; i < DEPTH * TILE / 4; i += 64) {
            int k = i / 16, j = i % 16 * 4;
            *reinterpret_cast<float4*>(&tile_b[k][j]) = *reinterpret_cast<const float4*>(&cols[(start + k) * n + j]);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; ++k)
#pragma unroll
            for (int i = 0; i < PER_THREAD; ++i)
#pragma unroll
                for (int j = 0; j < PER_THREAD; ++j)
                    sum[i][j] += tile_a[k][ty * PER_THREAD + i] * tile_b[k][tx * PER_THREAD + j];
        __syncthreads();
    }
    for (int i = 0; i < PER_THREAD; ++i)
        for (int j = 0; j < PER_THREAD; ++j)
            c[(blockIdx.y * TILE + ty * PER_THREAD + i) * n + blockIdx.x * TILE + tx * PER_THREAD + j] = sum[i][j];
}
