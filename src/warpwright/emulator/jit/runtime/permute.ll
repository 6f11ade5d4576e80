; Lane i of %out is lane %lanes[i] of %a, for lanes of $bits bits.
define void @ww_permute_$bytes(ptr noalias %a, ptr noalias %lanes, ptr noalias %out) $attributes {
entry:
  br label %loop
loop:
  %lane = phi i64 [ 0, %entry ], [ %next, %loop ]
  %source.place = getelementptr i32, ptr %lanes, i64 %lane
  %source = load i32, ptr %source.place
  %inside = and i32 %source, 31
  %from = getelementptr i$bits, ptr %a, i32 %inside
  %value = load i$bits, ptr %from
  %to = getelementptr i$bits, ptr %out, i64 %lane
  store i$bits %value, ptr %to
  %next = add i64 %lane, 1
  %more = icmp ult i64 %next, 32
  br i1 %more, label %loop, label %end
end:
  ret void
}
