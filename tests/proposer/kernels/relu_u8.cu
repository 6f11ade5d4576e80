extern "C" __global__ void relu_u8(const signed char* x, const int* shift, unsigned char* y, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i] + (shift[i] & 7);
    y[i] = v > 0 ? v : 0;
}
