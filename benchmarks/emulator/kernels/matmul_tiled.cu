constexpr int TILE = 16;

extern "C" __global__ void matmul_tiled(const float* __restrict__ a, const float* __restrict__ b,
                                        float* __restrict__ c, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int ty = threadIdx.y, tx = threadIdx.x;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        tile_a[ty][tx] = a[row * n + start + tx];
        tile_b[ty][tx] = b[(start + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
