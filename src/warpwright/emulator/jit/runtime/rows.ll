; $parts values of $bits bits per lane, lane after lane in memory: into or out of $parts rows of 32 registers.
define void @ww_load_rows_${bytes}_$parts(ptr noalias %from, ptr noalias %out) $attributes {
  %all = load <$count x i$bits>, ptr %from, align $bytes
$take
  ret void
}

define void @ww_store_rows_${bytes}_$parts(ptr noalias %to, ptr noalias %rows) $attributes {
  %all = load <$count x i$bits>, ptr %rows, align $align
  %mixed = shufflevector <$count x i$bits> %all, <$count x i$bits> poison, <$count x i32> <$order>
  store <$count x i$bits> %mixed, ptr %to, align $bytes
  ret void
}
