// Combines a value over the $lanes lanes that share a row; every lane gets the result.
template <typename T>
__device__ __forceinline__ T $name(T value) {
    const unsigned first = threadIdx.x % 32 / $lanes * $lanes;
    const unsigned members = $lanes == 32 ? 0xffffffffu : ((1u << ($lanes % 32)) - 1u) << first;
#pragma unroll
    for (int offset = $lanes / 2; offset > 0; offset /= 2) {
        const T a = value, b = __shfl_xor_sync(members, value, offset, $lanes);
        value = $combine;
    }
    return value;
}

