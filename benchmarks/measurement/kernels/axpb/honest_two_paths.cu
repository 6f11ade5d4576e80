// Four elements at a time where the addresses allow it, one by one where they do not.
extern "C" __global__ void axpb(float* y, const float* x, const float* b, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = 4 * i;
    bool aligned = (((unsigned long long)y | (unsigned long long)x | (unsigned long long)b) & 15) == 0;
    if (aligned && first + 3 < n) {
        float4 u = ((const float4*)x)[i], v = ((const float4*)b)[i];
        ((float4*)y)[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
    } else {
        for (int k = first; k < first + 4 && k < n; ++k) y[k] = a * x[k] + b[k];
    }
}
