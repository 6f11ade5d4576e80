// Rows of 16 words: lanes fall into two banks, sixteen to each.
extern "C" __global__ void column_tile(float* out, const float* in, int rounds) {
    __shared__ float tile[128][16];
    for (int i = threadIdx.x; i < 2048; i += 128) tile[i / 16][i % 16] = in[i];
    __syncthreads();
    float sum = 0.0f;
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int c = 0; c < 16; ++c) sum = sum * 0.5f + tile[(threadIdx.x + r) & 127][c];
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
