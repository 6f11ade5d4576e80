// Writes every element twice, the first time something else.
extern "C" __global__ void axpb(float* y, const float* x, const float* b, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ((volatile float*)y)[i] = b[i];
    ((volatile float*)y)[i] = a * x[i] + ((volatile float*)y)[i];
}
