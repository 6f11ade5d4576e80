; Gather and scatter of %parts values of $bits bits per lane; part p of a lane lies p * $bytes behind its address.
; Register side: 32 values of part 0, then 32 of part 1, and so on. %addresses are host addresses.
define void @ww_gather_$bytes(ptr noalias %addresses, i32 %mask, ptr noalias %out, i64 %parts) $attributes {
entry:
  %active = bitcast i32 %mask to <32 x i1>
  %base = load <32 x i64>, ptr %addresses
  br label %loop
loop:
  %part = phi i64 [ 0, %entry ], [ %next, %loop ]
  %distance = mul i64 %part, $bytes
  %distance.first = insertelement <32 x i64> poison, i64 %distance, i32 0
  %distances = shufflevector <32 x i64> %distance.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %places = add <32 x i64> %base, %distances
  %pointers = inttoptr <32 x i64> %places to <32 x ptr>
  %values = call <32 x i$bits> @llvm.masked.gather.v32i$bits.v32p0(<32 x ptr> %pointers, i32 $bytes, <32 x i1> %active, <32 x i$bits> zeroinitializer)
  %to = getelementptr <32 x i$bits>, ptr %out, i64 %part
  store <32 x i$bits> %values, ptr %to
  %next = add i64 %part, 1
  %more = icmp ult i64 %next, %parts
  br i1 %more, label %loop, label %end
end:
  ret void
}

define void @ww_scatter_$bytes(ptr noalias %addresses, i32 %mask, ptr noalias %values, i64 %parts) $attributes {
entry:
  %active = bitcast i32 %mask to <32 x i1>
  %base = load <32 x i64>, ptr %addresses
  br label %loop
loop:
  %part = phi i64 [ 0, %entry ], [ %next, %loop ]
  %distance = mul i64 %part, $bytes
  %distance.first = insertelement <32 x i64> poison, i64 %distance, i32 0
  %distances = shufflevector <32 x i64> %distance.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %places = add <32 x i64> %base, %distances
  %pointers = inttoptr <32 x i64> %places to <32 x ptr>
  %from = getelementptr <32 x i$bits>, ptr %values, i64 %part
  %value = load <32 x i$bits>, ptr %from
  call void @llvm.masked.scatter.v32i$bits.v32p0(<32 x i$bits> %value, <32 x ptr> %pointers, i32 $bytes, <32 x i1> %active)
  %next = add i64 %part, 1
  %more = icmp ult i64 %next, %parts
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare <32 x i$bits> @llvm.masked.gather.v32i$bits.v32p0(<32 x ptr>, i32, <32 x i1>, <32 x i$bits>)
declare void @llvm.masked.scatter.v32i$bits.v32p0(<32 x i$bits>, <32 x ptr>, i32, <32 x i1>)
