// One special function to one addition: the special function unit is sixteen lanes wide, the others are not.
extern "C" __global__ void special_functions(float* out, int rounds) {
    float x = 1.5f + threadIdx.x, y = x + 0.25f, z = x + 0.5f, w = x + 0.75f;
    for (int r = 0; r < rounds; ++r) {
        x = rsqrtf(x) + 1.5f;
        y = rsqrtf(y) + 1.25f;
        z = rsqrtf(z) + 1.125f;
        w = rsqrtf(w) + 1.0625f;
    }
    out[blockIdx.x * 256 + threadIdx.x] = x + y + z + w;
}
