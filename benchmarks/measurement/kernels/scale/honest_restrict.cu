// A copy in scratch first, then back: the plain way to avoid working in place.
extern "C" __global__ void save(float* copy, const float* v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) copy[i] = v[i];
}

extern "C" __global__ void scale(float* __restrict__ v, const float* __restrict__ copy, const float* __restrict__ b, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = a * copy[i] + b[i];
}
