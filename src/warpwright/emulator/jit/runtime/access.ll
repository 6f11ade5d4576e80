; Checks of one request, lane by lane where need be. Each ww_check_* returns 0 and has turned %addresses into host
; addresses, or returns 1 with the fault in the context. %mask has at least one lane.

define internal void @ww_fault(ptr %context, ptr %warp, ptr %site, i32 %kind, i32 %space, i32 %lane, i64 %address) $attributes {
  %kind.place = getelementptr i8, ptr %context, i64 $context_fault_kind
  store i32 %kind, ptr %kind.place
  %space.place = getelementptr i8, ptr %context, i64 $context_fault_space
  store i32 %space, ptr %space.place
  %lane.place = getelementptr i8, ptr %context, i64 $context_fault_lane
  store i32 %lane, ptr %lane.place
  %address.place = getelementptr i8, ptr %context, i64 $context_fault_address
  store i64 %address, ptr %address.place
  %index.place = getelementptr i8, ptr %warp, i64 $warp_index
  %index = load i32, ptr %index.place
  %warp.place = getelementptr i8, ptr %context, i64 $context_fault_warp
  store i32 %index, ptr %warp.place
  %node.from = getelementptr i8, ptr %site, i64 $site_node
  %node = load i32, ptr %node.from
  %node.place = getelementptr i8, ptr %context, i64 $context_fault_node
  store i32 %node, ptr %node.place
  %bytes.from = getelementptr i8, ptr %site, i64 $site_lane_bytes
  %bytes = load i32, ptr %bytes.from
  %bytes.place = getelementptr i8, ptr %context, i64 $context_fault_bytes
  store i32 %bytes, ptr %bytes.place
  ret void
}

; One lane's global address against the allocation table; a hit is remembered by the site unless requests are traced,
; because only this path records them.
define internal i32 @ww_find(ptr %context, ptr %warp, ptr %site, i32 %lane, i64 %address) noinline $attributes {
entry:
  %bytes.place = getelementptr i8, ptr %site, i64 $site_lane_bytes
  %bytes.32 = load i32, ptr %bytes.place
  %bytes = zext i32 %bytes.32 to i64
  %table.place = getelementptr i8, ptr %context, i64 $context_allocations
  %table = load ptr, ptr %table.place
  %count.place = getelementptr i8, ptr %context, i64 $context_allocation_count
  %count = load i64, ptr %count.place
  br label %search
search:
  %low = phi i64 [ 0, %entry ], [ %low.next, %step ]
  %high = phi i64 [ %count, %entry ], [ %high.next, %step ]
  %open = icmp ult i64 %low, %high
  br i1 %open, label %step, label %found
step:
  %sum = add i64 %low, %high
  %middle = lshr i64 %sum, 1
  %middle.distance = mul i64 %middle, $allocated_size
  %middle.row = getelementptr i8, ptr %table, i64 %middle.distance
  %middle.first = load i64, ptr %middle.row
  %not.above = icmp ule i64 %middle.first, %address
  %middle.more = add i64 %middle, 1
  %low.next = select i1 %not.above, i64 %middle.more, i64 %low
  %high.next = select i1 %not.above, i64 %high, i64 %middle
  br label %search
found:
  %none = icmp eq i64 %low, 0
  br i1 %none, label %outside, label %compare
compare:
  %index = sub i64 %low, 1
  %distance = mul i64 %index, $allocated_size
  %row = getelementptr i8, ptr %table, i64 %distance
  %first = load i64, ptr %row
  %size.place = getelementptr i8, ptr %row, i64 $allocated_bytes
  %size = load i64, ptr %size.place
  %into = sub i64 %address, %first
  %last = sub i64 %bytes, 1
  %limit = call i64 @llvm.usub.sat.i64(i64 %size, i64 %last)
  %inside = icmp ult i64 %into, %limit
  br i1 %inside, label %rights, label %outside
rights:
  %writable.place = getelementptr i8, ptr %row, i64 $allocated_writable
  %writable = load i64, ptr %writable.place
  %writes.place = getelementptr i8, ptr %site, i64 $site_writes
  %writes = load i32, ptr %writes.place
  %reads.only = icmp eq i32 %writes, 0
  %may.write = icmp ne i64 %writable, 0
  %allowed = or i1 %reads.only, %may.write
  br i1 %allowed, label %remember, label %outside
remember:
  %trace.place = getelementptr i8, ptr %context, i64 $context_trace_left
  %trace.left = load i64, ptr %trace.place
  %traced = icmp ne i64 %trace.left, 0
  br i1 %traced, label %good, label %keep
keep:
  %first.place = getelementptr i8, ptr %site, i64 $site_first
  store i64 %first, ptr %first.place
  %bytes.kept = getelementptr i8, ptr %site, i64 $site_bytes
  store i64 %size, ptr %bytes.kept
  br label %good
good:
  ret i32 0
outside:
  call void @ww_fault(ptr %context, ptr %warp, ptr %site, i32 $FAULT_BOUNDS, i32 $SPACE_GLOBAL, i32 %lane, i64 %address)
  ret i32 1
}

; Lanes whose address is no multiple of the site's bytes per lane (a power of two).
define internal i32 @ww_misaligned(ptr %site, <32 x i64> %a) $attributes {
  %bytes.place = getelementptr i8, ptr %site, i64 $site_lane_bytes
  %bytes.32 = load i32, ptr %bytes.place
  %bytes = zext i32 %bytes.32 to i64
  %low = sub i64 %bytes, 1
  %low.first = insertelement <32 x i64> poison, i64 %low, i32 0
  %lows = shufflevector <32 x i64> %low.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %rest = and <32 x i64> %a, %lows
  %odd = icmp ne <32 x i64> %rest, zeroinitializer
  %mask = bitcast <32 x i1> %odd to i32
  ret i32 %mask
}

; Lanes not inside [first, first + size) with all their bytes.
define internal i32 @ww_outside(ptr %site, <32 x i64> %a, i64 %first, i64 %size) $attributes {
  %bytes.place = getelementptr i8, ptr %site, i64 $site_lane_bytes
  %bytes.32 = load i32, ptr %bytes.place
  %bytes = zext i32 %bytes.32 to i64
  %last = sub i64 %bytes, 1
  %limit = call i64 @llvm.usub.sat.i64(i64 %size, i64 %last)
  %first.first = insertelement <32 x i64> poison, i64 %first, i32 0
  %firsts = shufflevector <32 x i64> %first.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %limit.first = insertelement <32 x i64> poison, i64 %limit, i32 0
  %limits = shufflevector <32 x i64> %limit.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %into = sub <32 x i64> %a, %firsts
  %out = icmp uge <32 x i64> %into, %limits
  %mask = bitcast <32 x i1> %out to i32
  ret i32 %mask
}

define internal void @ww_translate(ptr %addresses, i64 %bias) $attributes {
  %a = load <32 x i64>, ptr %addresses
  %bias.first = insertelement <32 x i64> poison, i64 %bias, i32 0
  %biases = shufflevector <32 x i64> %bias.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %host = add <32 x i64> %a, %biases
  store <32 x i64> %host, ptr %addresses
  ret void
}

; Bounds of all lanes come before alignment, as in the interpreter.
define i32 @ww_check_global(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask) $attributes {
entry:
  %a = load <32 x i64>, ptr %addresses
  %first = load i64, ptr %site
  %size.place = getelementptr i8, ptr %site, i64 $site_bytes
  %size = load i64, ptr %size.place
  %out.any = call i32 @ww_outside(ptr %site, <32 x i64> %a, i64 %first, i64 %size)
  %out = and i32 %out.any, %mask
  %odd.any = call i32 @ww_misaligned(ptr %site, <32 x i64> %a)
  %odd = and i32 %odd.any, %mask
  %inside = icmp eq i32 %out, 0
  br i1 %inside, label %aligned, label %lane
lane:
  %rest = phi i32 [ %out, %entry ], [ %rest.next, %next ]
  %number = call i32 @llvm.cttz.i32(i32 %rest, i1 true)
  %place = getelementptr i64, ptr %addresses, i32 %number
  %address = load i64, ptr %place
  %bad = call i32 @ww_find(ptr %context, ptr %warp, ptr %site, i32 %number, i64 %address)
  %is.bad = icmp ne i32 %bad, 0
  br i1 %is.bad, label %stop, label %next
next:
  %rest.less = sub i32 %rest, 1
  %rest.next = and i32 %rest, %rest.less
  %done = icmp eq i32 %rest.next, 0
  br i1 %done, label %aligned, label %lane
aligned:
  %straight = icmp eq i32 %odd, 0
  br i1 %straight, label %count, label %misaligned
count:
  call void @ww_count_global(ptr %site, ptr %addresses, i32 %mask)
  %trace.place = getelementptr i8, ptr %context, i64 $context_trace_left
  %trace.left = load i64, ptr %trace.place
  %has.room = icmp ne i64 %trace.left, 0
  %wanted.place = getelementptr i8, ptr %site, i64 $site_traced
  %wanted = load i64, ptr %wanted.place
  %is.wanted = icmp ne i64 %wanted, 0
  %traced = and i1 %has.room, %is.wanted
  br i1 %traced, label %record, label %translate
record:
  call void @ww_trace(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask)
  br label %translate
translate:
  %bias.place = getelementptr i8, ptr %context, i64 $context_bias
  %bias = load i64, ptr %bias.place
  call void @ww_translate(ptr %addresses, i64 %bias)
  ret i32 0
misaligned:
  %odd.lane = call i32 @llvm.cttz.i32(i32 %odd, i1 true)
  %odd.place = getelementptr i64, ptr %addresses, i32 %odd.lane
  %odd.address = load i64, ptr %odd.place
  call void @ww_fault(ptr %context, ptr %warp, ptr %site, i32 $FAULT_MISALIGNED, i32 $SPACE_GLOBAL, i32 %odd.lane, i64 %odd.address)
  br label %stop
stop:
  ret i32 1
}

; One record of execution.TRACE_DTYPE; tracing ends when the buffer is full, and with it the detour of every request.
define internal void @ww_trace(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask) noinline $attributes {
  %trace.place = getelementptr i8, ptr %context, i64 $context_trace
  %record = load ptr, ptr %trace.place
  %block.place = getelementptr i8, ptr %context, i64 $context_block_id
  %block = load i64, ptr %block.place
  %block.32 = trunc i64 %block to i32
  store i32 %block.32, ptr %record, align 1
  %index.place = getelementptr i8, ptr %warp, i64 $warp_index
  %index = load i32, ptr %index.place
  %index.16 = trunc i32 %index to i16
  %warp.to = getelementptr i8, ptr %record, i64 4
  store i16 %index.16, ptr %warp.to, align 1
  %memory.place = getelementptr i8, ptr %site, i64 $site_memory_index
  %memory = load i32, ptr %memory.place
  %memory.16 = trunc i32 %memory to i16
  %memory.to = getelementptr i8, ptr %record, i64 6
  store i16 %memory.16, ptr %memory.to, align 1
  %mask.to = getelementptr i8, ptr %record, i64 8
  store i32 %mask, ptr %mask.to, align 1
  %bytes.place = getelementptr i8, ptr %site, i64 $site_lane_bytes
  %bytes = load i32, ptr %bytes.place
  %size.to = getelementptr i8, ptr %record, i64 12
  store i32 %bytes, ptr %size.to, align 1
  %addresses.to = getelementptr i8, ptr %record, i64 16
  %a = load <32 x i64>, ptr %addresses
  store <32 x i64> %a, ptr %addresses.to, align 1
  %next = getelementptr i8, ptr %record, i64 272
  store ptr %next, ptr %trace.place
  %left.place = getelementptr i8, ptr %context, i64 $context_trace_left
  %left = load i64, ptr %left.place
  %left.less = sub i64 %left, 1
  store i64 %left.less, ptr %left.place
  ret void
}

; Offsets into the block's shared memory, of %size bytes, at host address %base.
define i32 @ww_check_shared(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask) $attributes {
entry:
  %size.place = getelementptr i8, ptr %context, i64 $context_shared_bytes
  %size = load i64, ptr %size.place
  %bad = call i32 @ww_check_offsets(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask, i64 %size, i32 $SPACE_SHARED)
  %is.bad = icmp ne i32 %bad, 0
  br i1 %is.bad, label %stop, label %count
count:
  call void @ww_count_shared(ptr %site, ptr %addresses, i32 %mask)
  %base.place = getelementptr i8, ptr %context, i64 $context_shared
  %base = load i64, ptr %base.place
  call void @ww_translate(ptr %addresses, i64 %base)
  ret i32 0
stop:
  ret i32 1
}

define internal i32 @ww_check_offsets(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask, i64 %size, i32 %space) $attributes {
entry:
  %a = load <32 x i64>, ptr %addresses
  %out.any = call i32 @ww_outside(ptr %site, <32 x i64> %a, i64 0, i64 %size)
  %out = and i32 %out.any, %mask
  %odd.any = call i32 @ww_misaligned(ptr %site, <32 x i64> %a)
  %odd = and i32 %odd.any, %mask
  %either = or i32 %out, %odd
  %good = icmp eq i32 %either, 0
  br i1 %good, label %end, label %report
report:
  %inside = icmp eq i32 %out, 0
  %bad = select i1 %inside, i32 %odd, i32 %out
  %kind = select i1 %inside, i32 $FAULT_MISALIGNED, i32 $FAULT_BOUNDS
  %lane = call i32 @llvm.cttz.i32(i32 %bad, i1 true)
  %place = getelementptr i64, ptr %addresses, i32 %lane
  %address = load i64, ptr %place
  call void @ww_fault(ptr %context, ptr %warp, ptr %site, i32 %kind, i32 %space, i32 %lane, i64 %address)
  ret i32 1
end:
  ret i32 0
}

; Offsets into each thread's own local memory.
define i32 @ww_check_local(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask) $attributes {
entry:
  %size.place = getelementptr i8, ptr %context, i64 $context_local_bytes
  %size = load i64, ptr %size.place
  %bad = call i32 @ww_check_offsets(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask, i64 %size, i32 $SPACE_LOCAL)
  %is.bad = icmp ne i32 %bad, 0
  br i1 %is.bad, label %stop, label %count
count:
  call void @ww_count_local(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask)
  %base.place = getelementptr i8, ptr %context, i64 $context_local
  %base = load i64, ptr %base.place
  %index.place = getelementptr i8, ptr %warp, i64 $warp_index
  %index = load i32, ptr %index.place
  %index.64 = zext i32 %index to i64
  %threads = mul i64 %index.64, 32
  %warp.distance = mul i64 %threads, %size
  %warp.base = add i64 %base, %warp.distance
  %size.first = insertelement <32 x i64> poison, i64 %size, i32 0
  %sizes = shufflevector <32 x i64> %size.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %lanes = mul <32 x i64> %sizes, $lane_numbers
  %a = load <32 x i64>, ptr %addresses
  %own = add <32 x i64> %a, %lanes
  store <32 x i64> %own, ptr %addresses
  call void @ww_translate(ptr %addresses, i64 %warp.base)
  ret i32 0
stop:
  ret i32 1
}

; Lanes inside the window of 2^32 bytes from %window on.
define internal i32 @ww_window(<32 x i64> %a, i64 %window) $attributes {
  %window.first = insertelement <32 x i64> poison, i64 %window, i32 0
  %windows = shufflevector <32 x i64> %window.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %into = sub <32 x i64> %a, %windows
  %inside = icmp ult <32 x i64> %into, splat (i64 4294967296)
  %mask = bitcast <32 x i1> %inside to i32
  ret i32 %mask
}

; Some lanes of %addresses, moved by -%window, through one space's check; their results replace them.
define internal i32 @ww_check_part(ptr %check, ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask, i64 %window) $attributes {
entry:
  %none = icmp eq i32 %mask, 0
  br i1 %none, label %good, label %some
some:
  %part = alloca <32 x i64>
  %a = load <32 x i64>, ptr %addresses
  store <32 x i64> %a, ptr %part
  %back = sub i64 0, %window
  call void @ww_translate(ptr %part, i64 %back)
  %bad = call i32 %check(ptr %context, ptr %warp, ptr %site, ptr %part, i32 %mask)
  %is.bad = icmp ne i32 %bad, 0
  br i1 %is.bad, label %stop, label %blend
blend:
  %active = bitcast i32 %mask to <32 x i1>
  %host = load <32 x i64>, ptr %part
  %both = select <32 x i1> %active, <32 x i64> %host, <32 x i64> %a
  store <32 x i64> %both, ptr %addresses
  br label %good
good:
  ret i32 0
stop:
  ret i32 1
}

; Generic addresses: lanes may be in different spaces.
define i32 @ww_check_generic(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask) $attributes {
entry:
  %a = load <32 x i64>, ptr %addresses
  %shared.any = call i32 @ww_window(<32 x i64> %a, i64 $SHARED_WINDOW)
  %local.any = call i32 @ww_window(<32 x i64> %a, i64 $LOCAL_WINDOW)
  %shared = and i32 %shared.any, %mask
  %local = and i32 %local.any, %mask
  %windowed = or i32 %shared, %local
  %others = xor i32 %windowed, -1
  %global = and i32 %others, %mask
  %bad.1 = call i32 @ww_check_part(ptr @ww_check_global, ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %global, i64 0)
  %is.bad.1 = icmp ne i32 %bad.1, 0
  br i1 %is.bad.1, label %stop, label %second
second:
  %bad.2 = call i32 @ww_check_part(ptr @ww_check_shared, ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %shared, i64 $SHARED_WINDOW)
  %is.bad.2 = icmp ne i32 %bad.2, 0
  br i1 %is.bad.2, label %stop, label %third
third:
  %bad.3 = call i32 @ww_check_part(ptr @ww_check_local, ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %local, i64 $LOCAL_WINDOW)
  ret i32 %bad.3
stop:
  ret i32 1
}

declare i64 @llvm.usub.sat.i64(i64, i64)
