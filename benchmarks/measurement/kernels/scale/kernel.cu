extern "C" __global__ void scale(float* v, const float* b, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = a * v[i] + b[i];
}
