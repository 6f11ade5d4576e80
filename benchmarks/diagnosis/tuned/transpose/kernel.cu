// y[c][r] = x[r][c]. Plain: one thread per element, reads along rows, writes along columns.
extern "C" __global__ void transpose(float* y, const float* x, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
#pragma unroll
    for (int step = 0; step < TILE; step += TILE_ROWS) {
        const int c = blockIdx.x * TILE + threadIdx.x;
        const int r = blockIdx.y * TILE + threadIdx.y + step;
        if (r < rows && c < cols) {  tile[threadIdx.y + step][threadIdx.x] = x[(long long)r * cols + c]; }
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < TILE; step += TILE_ROWS) {
        const int c = blockIdx.x * TILE + threadIdx.y + step;
        const int r = blockIdx.y * TILE + threadIdx.x;
        if (r < rows && c < cols) y[(long long)c * rows + r] = tile[threadIdx.x][threadIdx.y + step];
    }
}
