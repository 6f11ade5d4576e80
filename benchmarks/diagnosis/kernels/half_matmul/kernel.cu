// Tiles of 64 along k keep barriers rare, padded rows keep banks apart. Sizes are multiples of the tiles.
#include <cuda_fp16.h>

extern "C" __global__ void half_matmul(float* out, const __half* a, const __half* b, int n, int k) {
    __shared__ __half left[16][66], right[64][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int first = 0; first < k; first += 64) {
        for (int i = 0; i < 64; i += 16) {
            left[ty][i + tx] = a[row * k + first + i + tx];
            right[i + ty][tx] = b[(first + i + ty) * n + column];
        }
        __syncthreads();
#pragma unroll 16
        for (int i = 0; i < 64; ++i) sum += __half2float(left[ty][i]) * __half2float(right[i][tx]);
        __syncthreads();
    }
    out[row * n + column] = sum;
}
