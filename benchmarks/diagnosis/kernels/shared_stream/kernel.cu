// 128-bit reads take four wavefronts each and feed four additions: the path to shared memory is what is full.
extern "C" __global__ void shared_stream(float* out, const float4* in, int rounds) {
    __shared__ float4 tile[1024];
    for (int i = threadIdx.x; i < 1024; i += 256) tile[i] = in[i];
    __syncthreads();
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    unsigned at = threadIdx.x;
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float4 v = tile[(at + i * 256) & 1023];
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        }
        at += 32;
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum.x + sum.y + sum.z + sum.w;
}
