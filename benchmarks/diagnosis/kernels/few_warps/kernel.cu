// Each value goes through 100 KB of shared memory that nobody needs; two blocks of two warps fit an SM.
extern "C" __global__ void few_warps(float* out, const float* in, int rounds) {
    extern __shared__ float stage[];
    float sum = 0.0f;
    for (int r = 0; r < rounds; ++r) {
        int slot = (r * 64 + threadIdx.x) % 25600;
        stage[slot] = in[(blockIdx.x * rounds + r) * 64 + threadIdx.x] + sum;
        sum = stage[slot] * 0.5f;
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
