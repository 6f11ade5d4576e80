// Two launches that hand an intermediate array over in scratch.
extern "C" __global__ void multiply(float* t, const float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = a * x[i];
}

extern "C" __global__ void add(float* y, const float* t, const float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = t[i] + b[i];
}
