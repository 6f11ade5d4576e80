// Looks its factors up in constant and static tables.
__constant__ float one[4] = {1.0f, 1.0f, 1.0f, 1.0f};

extern "C" __global__ void axpb(float* y, const float* x, const float* b, float a, int n) {
    static const float two[2] = {2.0f, 2.0f};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * one[i & 3] * x[i] + 0.5f * two[i & 1] * b[i];
}
