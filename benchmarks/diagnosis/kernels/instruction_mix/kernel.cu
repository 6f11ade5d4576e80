// Four fp32 operations to two integer ones: neither pipe is full, the schedulers are.
extern "C" __global__ void instruction_mix(float* out, int rounds) {
    unsigned bits = blockIdx.x * 256 + threadIdx.x, more = bits * 7u + 1u;
    float a = bits * 1e-6f, b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            a = a * 0.99f + 0.5f;
            b = b * 0.98f + 0.25f;
            c = c * 0.97f + 0.125f;
            d = d * 0.96f + 0.0625f;
            bits ^= more;
            more = (more | bits) ^ 0x5bd1e995u;
        }
    }
    out[blockIdx.x * 256 + threadIdx.x] = a + b + c + d + (float)(bits ^ more);
}
