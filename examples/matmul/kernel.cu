// C = A B, row-major. Plain: one thread per element of C, each walks a row of A and a column of B.
extern "C" __global__ void matmul(float* C, const float* A, const float* B, int m, int n, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += A[(long long)row * k + i] * B[(long long)i * n + col];
    C[(long long)row * n + col] = sum;
}
