// In place, reading back what it has just written.
extern "C" __global__ void scale(float* v, const float* b, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    volatile float* own = v;
    own[i] = a * own[i];
    own[i] = own[i] + b[i];
}
