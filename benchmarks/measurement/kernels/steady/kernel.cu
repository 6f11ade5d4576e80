// STEPS changes the time and not the result. The factors are computed so that the compiler cannot see that they are 1 and 0.
extern "C" __global__ void axpb(float* y, const float* x, const float* b, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float one = __int_as_float(0x3f800000 | n >> 31), zero = __int_as_float(n >> 31);
    float v = x[i];
#pragma unroll 1
    for (int k = 0; k < STEPS; ++k) v = fmaf(v, one, zero);
    y[i] = a * v + b[i];
}
