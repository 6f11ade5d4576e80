// Neighbouring lanes are 48 bytes apart, so each load touches a sector for every lane or two.
struct Record {
    float field[12];
};

extern "C" __global__ void record_sums(float* out, const Record* records, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int f = 0; f < 12; ++f) sum += records[i].field[f];
    out[i] = sum;
}
