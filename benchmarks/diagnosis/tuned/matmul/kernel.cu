// C = A B, row-major. Plain: one thread per element of C, each walks a row of A and a column of B.
extern "C" __global__ void matmul(float* C, const float* A, const float* B, int m, int n, int k) {
    __shared__ float left_tile[TILE_M][TILE_K + 1], right_tile[TILE_K][TILE_N];
    const int thread = threadIdx.y * (TILE_N / THREAD_N) + threadIdx.x;
    const int threads = (TILE_M / THREAD_M) * (TILE_N / THREAD_N);
    float sums[THREAD_M][THREAD_N];
#pragma unroll
    for (int i_2 = 0; i_2 < THREAD_M * THREAD_N; ++i_2) sums[i_2 / THREAD_N][i_2 % THREAD_N] = 0;
    for (int first = 0; first < k; first += TILE_K) {
        for (int at = thread; at < TILE_M * TILE_K; at += threads) {
            const int in_row = at / TILE_K, in_depth = at % TILE_K;
            const int row = blockIdx.y * TILE_M + in_row;
            const int i = first + in_depth;
            float value = 0;
            if (row < m && i < k) {  value = A[(long long)row * k + i]; }
            left_tile[in_row][in_depth] = value;
        }
        for (int at = thread; at < TILE_K * TILE_N; at += threads) {
            const int in_depth = at / TILE_N, in_column = at % TILE_N;
            const int i = first + in_depth;
            const int col = blockIdx.x * TILE_N + in_column;
            float value = 0;
            if (i < k && col < n) {  value = B[(long long)i * n + col]; }
            right_tile[in_depth][in_column] = value;
        }
        __syncthreads();
#pragma unroll
        for (int in_depth = 0; in_depth < TILE_K; ++in_depth) {
            float left_part[THREAD_M], right_part[THREAD_N];
#pragma unroll
            for (int i_2 = 0; i_2 < THREAD_M; ++i_2) left_part[i_2] = left_tile[threadIdx.y + i_2 * (TILE_M / THREAD_M)][in_depth];
#pragma unroll
            for (int j = 0; j < THREAD_N; ++j) right_part[j] = right_tile[in_depth][threadIdx.x + j * (TILE_N / THREAD_N)];
#pragma unroll
            for (int i_2 = 0; i_2 < THREAD_M * THREAD_N; ++i_2) sums[i_2 / THREAD_N][i_2 % THREAD_N] += left_part[i_2 / THREAD_N] * right_part[i_2 % THREAD_N];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i_2 = 0; i_2 < THREAD_M * THREAD_N; ++i_2) {
        const int row = blockIdx.y * TILE_M + threadIdx.y + i_2 / THREAD_N * (TILE_M / THREAD_M);
        const int col = blockIdx.x * TILE_N + threadIdx.x + i_2 % THREAD_N * (TILE_N / THREAD_N);
        if (row < m && col < n) {
            
            float sum = 0.0f; sum += sums[i_2 / THREAD_N][i_2 % THREAD_N];
            C[(long long)row * n + col] = sum;
        }
    }
}
