// Takes a value above the inputs' usual range for one that an earlier launch has already scaled.
extern "C" __global__ void scale(float* v, const float* b, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && v[i] < 2.0f) v[i] = a * v[i] + b[i];
}
