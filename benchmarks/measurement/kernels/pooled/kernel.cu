extern "C" __global__ void axpb(float* y, const float* x, const float* b, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + b[i];
}
