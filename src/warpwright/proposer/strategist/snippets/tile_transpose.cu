__shared__ $type $tile[$edge][$edge + 1];
#pragma unroll
    for (int $step = 0; $step < $edge; $step += $rows) {
        const $x_type $x = blockIdx.x * $edge + threadIdx.x;
        const $y_type $y = blockIdx.y * $edge + threadIdx.y + $step;
        if $guard { $before $tile[threadIdx.y + $step][threadIdx.x] = $value; }
    }
    __syncthreads();
#pragma unroll
    for (int $step = 0; $step < $edge; $step += $rows) {
        const $x_type $x = blockIdx.x * $edge + threadIdx.y + $step;
        const $y_type $y = blockIdx.y * $edge + threadIdx.x;
        if $guard $target = $tile[threadIdx.x][threadIdx.y + $step];
    }
}
