// x runs over rows: neighbouring lanes are a whole row apart.
extern "C" __global__ void transposed_axes(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    y[row * cols + col] = sqrtf(fabsf(x[row * cols + col])) + 1.0f;
}
