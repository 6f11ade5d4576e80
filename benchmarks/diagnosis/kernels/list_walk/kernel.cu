// All lanes read the same word, and the next address is in it: one load in flight for each warp.
extern "C" __global__ void list_walk(int* out, const int* next, int n, int hops) {
    int warp = blockIdx.x * 8 + threadIdx.x / 32;
    int at = (int)((warp * 2654435761u) % (unsigned)n);
    for (int h = 0; h < hops; ++h) at = next[at];
    if ((threadIdx.x & 31) == 0) out[warp] = at;
}
