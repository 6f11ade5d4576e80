// y[c][r] = x[r][c]. Plain: one thread per element, reads along rows, writes along columns.
extern "C" __global__ void transpose(float* y, const float* x, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) y[(long long)c * rows + r] = x[(long long)r * cols + c];
}
