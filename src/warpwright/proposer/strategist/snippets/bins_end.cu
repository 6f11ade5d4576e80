
    __syncthreads();
    for (int bin = threadIdx.x; bin < $count; bin += blockDim.x) {
        $type total = 0;
        for (int copy = 0; copy < $copies; ++copy) total += $name[bin * $copies + copy];
        if (total != 0) atomicAdd(&$base[bin], total);
    }
