// A loop whose length and constants depend on the lane: the other lanes wait.
__device__ float way(float x, float factor, int rounds) {
    for (int r = 0; r < rounds; ++r) x = x * factor + 0.5f;
    return x;
}

extern "C" __global__ void branch_by_lane(float* out, int rounds) {
    float x = threadIdx.x * 0.01f;
    switch (threadIdx.x & 7) {
        case 0: x = way(x, 0.9f, rounds); break;
        case 1: x = 1.0f / way(x + 3.0f, 0.8f, rounds + 1); break;
        case 2: x = sqrtf(way(x + 2.0f, 0.7f, rounds + 2)); break;
        case 3: x = way(-x, 0.6f, rounds + 3) - x; break;
        case 4: x = fabsf(way(x * x, 0.5f, rounds + 4)); break;
        case 5: x = way(x + 9.0f, 0.4f, rounds + 5) * x; break;
        case 6: x = fminf(way(x, 0.3f, rounds + 6), 1.0f); break;
        default: x = way(x - 5.0f, 0.2f, rounds + 7) + 7.0f;
    }
    out[blockIdx.x * 256 + threadIdx.x] = x;
}
