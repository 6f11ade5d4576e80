// Most SMs are done when the first blocks have hardly begun.
extern "C" __global__ void harmonic_blocks(float* out, int rounds) {
    float x = threadIdx.x * 0.001f;
    int mine = rounds / (int)(blockIdx.x + 1);
    for (int r = 0; r < mine; ++r) x = x * 0.999f + 0.001f;
    out[blockIdx.x * 256 + threadIdx.x] = x;
}
