// c = a^T b^T + beta c
extern "C" __global__ void matmul_transposed(const float* a, const float* b, float* c, int m, int n, int k, float beta) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m && j < n) {
        const float* column = b + j * k;
        float value = beta * c[i * n + j];
        for (int at = 0; at < k; ++at) {
            value = fmaf(column[at], a[at * m + i], value);
        }
        c[i * n + j] = value;
    }
}
