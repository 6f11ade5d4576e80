// Neighbouring elements that are moved as one, in accesses of up to 16 bytes.
template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) $name {
    T value[N];
};

