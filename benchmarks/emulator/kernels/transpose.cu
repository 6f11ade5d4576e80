extern "C" __global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int n) {
    __shared__ float tile[32][33];
    int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = x[(top + j) * n + left + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8) y[(left + j) * n + top + threadIdx.x] = tile[threadIdx.x][j];
}
