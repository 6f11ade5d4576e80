; Counting of requests that are neither contiguous nor uniform.

; Distinct values of address >> shift among the active lanes (at least one): sectors (5) or lines (7) of a request.
define internal i32 @ww_distinct(ptr %addresses, i32 %mask, i64 %shift) $attributes {
entry:
  %seen = alloca <32 x i32>
  %a = load <32 x i64>, ptr %addresses
  %shift.first = insertelement <32 x i64> poison, i64 %shift, i32 0
  %shifts = shufflevector <32 x i64> %shift.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %ids = lshr <32 x i64> %a, %shifts
  %lane.0 = call i32 @llvm.cttz.i32(i32 %mask, i1 true)
  %place.0 = getelementptr i64, ptr %addresses, i32 %lane.0
  %address.0 = load i64, ptr %place.0
  %id.0 = lshr i64 %address.0, %shift
  %origin = sub i64 %id.0, 32
  %origin.first = insertelement <32 x i64> poison, i64 %origin, i32 0
  %origins = shufflevector <32 x i64> %origin.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %distance = sub <32 x i64> %ids, %origins
  %near = icmp ult <32 x i64> %distance, splat (i64 64)
  %near.mask = bitcast <32 x i1> %near to i32
  %far = xor i32 %near.mask, -1
  %far.active = and i32 %far, %mask
  %all.near = icmp eq i32 %far.active, 0
  br i1 %all.near, label %window, label %scan
window:
  ; All within 64 of each other, the usual case: one bit for each.
  %active = bitcast i32 %mask to <32 x i1>
  %clamped = and <32 x i64> %distance, splat (i64 63)
  %bits = shl <32 x i64> splat (i64 1), %clamped
  %kept = select <32 x i1> %active, <32 x i64> %bits, <32 x i64> zeroinitializer
  %together = call i64 @llvm.vector.reduce.or.v32i64(<32 x i64> %kept)
  %ones = call i64 @llvm.ctpop.i64(i64 %together)
  %ones.32 = trunc i64 %ones to i32
  ret i32 %ones.32
scan:
  ; Ascending addresses, the usual case of wide strides: each either repeats the last value or is new.
  %rest = phi i32 [ %mask, %entry ], [ %rest.next, %ascends ]
  %count = phi i32 [ 1, %entry ], [ %count.next, %ascends ]
  %largest = phi i64 [ %id.0, %entry ], [ %id, %ascends ]
  %lane = call i32 @llvm.cttz.i32(i32 %rest, i1 true)
  %place = getelementptr i64, ptr %addresses, i32 %lane
  %address = load i64, ptr %place
  %id = lshr i64 %address, %shift
  %falls = icmp ult i64 %id, %largest
  br i1 %falls, label %mixed, label %ascends
ascends:
  %is.new = icmp ne i64 %id, %largest
  %one = zext i1 %is.new to i32
  %count.next = add i32 %count, %one
  %rest.less = sub i32 %rest, 1
  %rest.next = and i32 %rest, %rest.less
  %done = icmp eq i32 %rest.next, 0
  br i1 %done, label %ordered, label %scan
ordered:
  ret i32 %count.next
mixed:
  ; A lane counts if no active lane before it has the same value. 32 bits are enough: checked addresses lie in one arena,
  ; which is far smaller than 2^32 sectors.
  %values = trunc <32 x i64> %distance to <32 x i32>
  store <32 x i32> %values, ptr %seen
  br label %each
each:
  %i = phi i32 [ 0, %mixed ], [ %i.next, %each ]
  %total = phi i32 [ 0, %mixed ], [ %total.next, %each ]
  %own.place = getelementptr i32, ptr %seen, i32 %i
  %own = load i32, ptr %own.place
  %own.first = insertelement <32 x i32> poison, i32 %own, i32 0
  %owns = shufflevector <32 x i32> %own.first, <32 x i32> poison, <32 x i32> zeroinitializer
  %same = icmp eq <32 x i32> %values, %owns
  %same.mask = bitcast <32 x i1> %same to i32
  %bit = shl i32 1, %i
  %below = sub i32 %bit, 1
  %same.active = and i32 %same.mask, %mask
  %earlier = and i32 %same.active, %below
  %is.first = icmp eq i32 %earlier, 0
  %present = and i32 %mask, %bit
  %is.present = icmp ne i32 %present, 0
  %counts = and i1 %is.first, %is.present
  %counts.32 = zext i1 %counts to i32
  %total.next = add i32 %total, %counts.32
  %i.next = add i32 %i, 1
  %all = icmp eq i32 %i.next, 32
  br i1 %all, label %end, label %each
end:
  ret i32 %total.next
}

define internal void @ww_add(ptr %site, i64 %column, i32 %amount) $attributes {
  %sums = getelementptr i8, ptr %site, i64 $site_sums
  %place = getelementptr i64, ptr %sums, i64 %column
  %old = load i64, ptr %place
  %wide = zext i32 %amount to i64
  %new = add i64 %old, %wide
  store i64 %new, ptr %place
  ret void
}

; Sectors, lines and wavefronts = max(lines, ceil(sectors / 4)) of one request to global memory.
define internal void @ww_count_global(ptr %site, ptr %addresses, i32 %mask) $attributes {
  %lanes = call i32 @llvm.ctpop.i32(i32 %mask)
  call void @ww_add(ptr %site, i64 $REQUESTS, i32 1)
  call void @ww_add(ptr %site, i64 $LANES, i32 %lanes)
  %sectors = call i32 @ww_distinct(ptr %addresses, i32 %mask, i64 5)
  %lines = call i32 @ww_distinct(ptr %addresses, i32 %mask, i64 7)
  call void @ww_add(ptr %site, i64 $SECTORS, i32 %sectors)
  call void @ww_add(ptr %site, i64 $LINES, i32 %lines)
  %up = add i32 %sectors, 3
  %quarter = lshr i32 %up, 2
  %wavefronts = call i32 @llvm.umax.i32(i32 %quarter, i32 %lines)
  call void @ww_add(ptr %site, i64 $WAVEFRONTS, i32 %wavefronts)
  ret void
}

; The most lanes that meet on one address: how long an atomic is.
define void @ww_count_serial(ptr %site, ptr %addresses, i32 %mask) $attributes {
entry:
  %a = load <32 x i64>, ptr %addresses
  br label %loop
loop:
  %rest = phi i32 [ %mask, %entry ], [ %rest.next, %loop ]
  %most = phi i32 [ 0, %entry ], [ %most.next, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %rest, i1 true)
  %place = getelementptr i64, ptr %addresses, i32 %lane
  %address = load i64, ptr %place
  %address.first = insertelement <32 x i64> poison, i64 %address, i32 0
  %same = shufflevector <32 x i64> %address.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %equal = icmp eq <32 x i64> %a, %same
  %equal.mask = bitcast <32 x i1> %equal to i32
  %meeting = and i32 %equal.mask, %rest
  %size = call i32 @llvm.ctpop.i32(i32 %meeting)
  %most.next = call i32 @llvm.umax.i32(i32 %most, i32 %size)
  %others = xor i32 %meeting, -1
  %rest.next = and i32 %rest, %others
  %done = icmp eq i32 %rest.next, 0
  br i1 %done, label %end, label %loop
end:
  call void @ww_add(ptr %site, i64 $SERIAL, i32 %most.next)
  ret void
}

declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.umax.i32(i32, i32)
declare i64 @llvm.vector.reduce.or.v32i64(<32 x i64>)
