__shared__ $type $left_tile[$m][$depth + 1], $right_tile[$depth][$n];
    const int $thread = threadIdx.y * ($n / $tn) + threadIdx.x;
    const int $threads = ($m / $tm) * ($n / $tn);
    $type $sums[$tm][$tn];
#pragma unroll
    for (int $i = 0; $i < $tm * $tn; ++$i) $sums[$i / $tn][$i % $tn] = 0;
    for ($k_type $first = 0; $first < $k_limit; $first += $depth) {
        for (int $at = $thread; $at < $m * $depth; $at += $threads) {
            const int $in_row = $left_row, $in_depth = $left_depth;
            const $y_type $y = blockIdx.y * $m + $in_row;
            const $k_type $k = $first + $in_depth;
            $type $value = 0;
            if ($y < $y_limit && $k < $k_limit) { $left_before $value = $left; }
            $left_tile[$in_row][$in_depth] = $value;
        }
        for (int $at = $thread; $at < $depth * $n; $at += $threads) {
            const int $in_depth = $right_depth, $in_column = $right_column;
            const $k_type $k = $first + $in_depth;
            const $x_type $x = blockIdx.x * $n + $in_column;
            $type $value = 0;
            if ($k < $k_limit && $x < $x_limit) { $right_before $value = $right; }
            $right_tile[$in_depth][$in_column] = $value;
        }
        __syncthreads();
#pragma unroll
        for (int $in_depth = 0; $in_depth < $depth; ++$in_depth) {
            $type $left_part[$tm], $right_part[$tn];
#pragma unroll
            for (int $i = 0; $i < $tm; ++$i) $left_part[$i] = $left_tile[threadIdx.y + $i * ($m / $tm)][$in_depth];
#pragma unroll
            for (int $j = 0; $j < $tn; ++$j) $right_part[$j] = $right_tile[$in_depth][threadIdx.x + $j * ($n / $tn)];
#pragma unroll
            for (int $i = 0; $i < $tm * $tn; ++$i) $sums[$i / $tn][$i % $tn] += $left_part[$i / $tn] * $right_part[$i % $tn];
        }
        __syncthreads();
    }
#pragma unroll
    for (int $i = 0; $i < $tm * $tn; ++$i) {
        const $y_type $y = blockIdx.y * $m + threadIdx.y + $i / $tn * ($m / $tm);
        const $x_type $x = blockIdx.x * $n + threadIdx.x + $i % $tn * ($n / $tn);
        if ($y < $y_limit && $x < $x_limit) {
            $before
            $sum_start $sum += $sums[$i / $tn][$i % $tn];
            $after
        }
    }
}
