// Arithmetic alone: one pipe each, with CHAINS independent chains a thread.
#define LOOP(name, T, CHAINS, STEP)                                                        \
    extern "C" __global__ void name(T* out, int steps) {                                   \
        T v[CHAINS];                                                                       \
        for (int j = 0; j < CHAINS; ++j) v[j] = (T)(threadIdx.x + j + 1);                  \
        for (int i = 0; i < steps; ++i)                                                    \
            for (int j = 0; j < CHAINS; ++j) v[j] = STEP;                                  \
        T s = 0;                                                                           \
        for (int j = 0; j < CHAINS; ++j) s += v[j];                                        \
        out[blockIdx.x * blockDim.x + threadIdx.x] = s;                                    \
    }
LOOP(fma1, float, 1, v[j] * 0.999f + 0.5f)
LOOP(fma4, float, 4, v[j] * 0.999f + 0.5f)
LOOP(fp64_4, double, 4, v[j] * 0.999 + 0.5)
LOOP(sfu4, float, 4, __expf(v[j] * 0.25f))
LOOP(sqrt2, float, 2, sqrtf(v[j]) + 1.0f)
LOOP(divide2, float, 2, 3.0f / v[j] + 1.0f)
LOOP(integer4, int, 4, (v[j] ^ (v[j] << 3)) + i)
LOOP(modulo2, int, 2, (v[j] * 7 + i) % (steps + j + 3))
extern "C" __global__ void escape(float* out, int width, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = 0;
    float a = -2.0f + 3.0f * x / width, b = -1.5f + 3.0f * y / width, p = 0.0f, q = 0.0f;
    while (i < most && p * p + q * q < 4.0f) {
        float t = p * p - q * q + a;
        q = 2.0f * p * q + b;
        p = t;
        ++i;
    }
    out[y * width + x] = i;
}
