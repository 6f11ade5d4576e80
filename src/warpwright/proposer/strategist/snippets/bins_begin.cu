__shared__ $type $name[$count * $copies];
    for (int bin = threadIdx.x; bin < $count * $copies; bin += blockDim.x) $name[bin] = 0;
    __syncthreads();
    
