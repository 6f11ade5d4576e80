; Bank conflicts. A shared request is served in phases of lanes; in each, every bank gives one word per wavefront, and a
; word that several lanes want is given once. Patterns repeat, so the site remembers the last one: moving all lanes by
; the same number of words turns the banks without changing the count.

define internal void @ww_count_shared(ptr %site, ptr %addresses, i32 %mask) $attributes {
entry:
  %a = load <32 x i64>, ptr %addresses
  %lane = call i32 @llvm.cttz.i32(i32 %mask, i1 true)
  %place = getelementptr i64, ptr %addresses, i32 %lane
  %first = load i64, ptr %place
  %first.first = insertelement <32 x i64> poison, i64 %first, i32 0
  %firsts = shufflevector <32 x i64> %first.first, <32 x i64> poison, <32 x i32> zeroinitializer
  %far = sub <32 x i64> %a, %firsts
  %near = trunc <32 x i64> %far to <32 x i32>
  %active = bitcast i32 %mask to <32 x i1>
  %pattern = select <32 x i1> %active, <32 x i32> %near, <32 x i32> zeroinitializer
  %first.32 = trunc i64 %first to i32
  %phase = and i32 %first.32, 3
  %pattern.place = getelementptr i8, ptr %site, i64 $site_pattern
  %mask.place = getelementptr i8, ptr %site, i64 $site_pattern_mask
  %phase.place = getelementptr i8, ptr %site, i64 $site_pattern_phase
  %wavefronts.place = getelementptr i8, ptr %site, i64 $site_pattern_wavefronts
  %least.place = getelementptr i8, ptr %site, i64 $site_pattern_least
  %pattern.old = load <32 x i32>, ptr %pattern.place, align 64
  %mask.old = load i32, ptr %mask.place
  %phase.old = load i32, ptr %phase.place
  %differs = icmp ne <32 x i32> %pattern, %pattern.old
  %differs.mask = bitcast <32 x i1> %differs to i32
  %mask.change = xor i32 %mask, %mask.old
  %phase.change = xor i32 %phase, %phase.old
  %change.1 = or i32 %differs.mask, %mask.change
  %change = or i32 %change.1, %phase.change
  %same = icmp eq i32 %change, 0
  br i1 %same, label %add, label %measure
measure:
  store <32 x i32> %pattern, ptr %pattern.place, align 64
  store i32 %mask, ptr %mask.place
  store i32 %phase, ptr %phase.place
  call void @ww_measure_banks(ptr %site, ptr %addresses, i32 %mask)
  br label %add
add:
  %lanes = call i32 @llvm.ctpop.i32(i32 %mask)
  %wavefronts = load i32, ptr %wavefronts.place
  %least = load i32, ptr %least.place
  %conflicts = sub i32 %wavefronts, %least
  call void @ww_add(ptr %site, i64 $REQUESTS, i32 1)
  call void @ww_add(ptr %site, i64 $LANES, i32 %lanes)
  call void @ww_add(ptr %site, i64 $WAVEFRONTS, i32 %wavefronts)
  call void @ww_add(ptr %site, i64 $CONFLICTS, i32 %conflicts)
  ret void
}

; Wavefronts of the request, and the least that its bytes could need, into the site.
define internal void @ww_measure_banks(ptr %site, ptr %addresses, i32 %mask) noinline $attributes {
entry:
  %bytes.place = getelementptr i8, ptr %site, i64 $site_lane_bytes
  %bytes = load i32, ptr %bytes.place
  %is.wide = icmp eq i32 %bytes, 16
  %is.pair = icmp eq i32 %bytes, 8
  %pair.lanes = select i1 %is.pair, i32 $PAIR_PHASE_LANES, i32 32
  %phase.lanes = select i1 %is.wide, i32 8, i32 %pair.lanes
  %full = icmp eq i32 %phase.lanes, 32
  %bits = shl i32 1, %phase.lanes
  %bits.low = sub i32 %bits, 1
  %phase.mask = select i1 %full, i32 -1, i32 %bits.low
  br label %phase
phase:
  %start = phi i32 [ 0, %entry ], [ %start.next, %phase.next ]
  %total = phi i32 [ 0, %entry ], [ %total.next, %phase.next ]
  %least = phi i32 [ 0, %entry ], [ %least.next, %phase.next ]
  %shifted = shl i32 %phase.mask, %start
  %members = and i32 %shifted, %mask
  %empty = icmp eq i32 %members, 0
  br i1 %empty, label %phase.next, label %serve
serve:
  %packed = call i64 @ww_serve(ptr %addresses, i32 %members, i32 %bytes)
  %most.64 = and i64 %packed, 65535
  %most = trunc i64 %most.64 to i32
  %words.64 = lshr i64 %packed, 16
  %words = trunc i64 %words.64 to i32
  %words.up = add i32 %words, 31
  %ideal = lshr i32 %words.up, 5
  %total.more = add i32 %total, %most
  %least.more = add i32 %least, %ideal
  br label %phase.next
phase.next:
  %total.next = phi i32 [ %total, %phase ], [ %total.more, %serve ]
  %least.next = phi i32 [ %least, %phase ], [ %least.more, %serve ]
  %start.next = add i32 %start, %phase.lanes
  %more = icmp ult i32 %start.next, 32
  br i1 %more, label %phase, label %end
end:
  %wavefronts.place = getelementptr i8, ptr %site, i64 $site_pattern_wavefronts
  store i32 %total.next, ptr %wavefronts.place
  %least.place = getelementptr i8, ptr %site, i64 $site_pattern_least
  store i32 %least.next, ptr %least.place
  ret void
}

; Distinct words of one phase: the most in one bank (low 16 bits) and all of them (above).
define internal i64 @ww_serve(ptr %addresses, i32 %members, i32 %bytes) $attributes {
entry:
  %seen = alloca [128 x i64]
  %load = alloca <32 x i32>
  store <32 x i32> zeroinitializer, ptr %load
  %bytes.up = add i32 %bytes, 3
  %lane.words = lshr i32 %bytes.up, 2
  br label %lane
lane:
  %rest = phi i32 [ %members, %entry ], [ %rest.next, %lane.next ]
  %count.lane = phi i32 [ 0, %entry ], [ %count.next, %lane.next ]
  %most.lane = phi i32 [ 0, %entry ], [ %most.next, %lane.next ]
  %number = call i32 @llvm.cttz.i32(i32 %rest, i1 true)
  %place = getelementptr i64, ptr %addresses, i32 %number
  %address = load i64, ptr %place
  %word.0 = lshr i64 %address, 2
  br label %word
word:
  %k = phi i32 [ 0, %lane ], [ %k.next, %word.next ]
  %count = phi i32 [ %count.lane, %lane ], [ %count.next, %word.next ]
  %most = phi i32 [ %most.lane, %lane ], [ %most.next, %word.next ]
  %k.64 = zext i32 %k to i64
  %word.id = add i64 %word.0, %k.64
  br label %search
search:
  %j = phi i32 [ 0, %word ], [ %j.next, %compare ]
  %exhausted = icmp uge i32 %j, %count
  br i1 %exhausted, label %fresh, label %compare
compare:
  %old.place = getelementptr i64, ptr %seen, i32 %j
  %old = load i64, ptr %old.place
  %j.next = add i32 %j, 1
  %known = icmp eq i64 %old, %word.id
  br i1 %known, label %word.next, label %search
fresh:
  %new.place = getelementptr i64, ptr %seen, i32 %count
  store i64 %word.id, ptr %new.place
  %count.more = add i32 %count, 1
  %bank = and i64 %word.id, 31
  %bank.place = getelementptr i32, ptr %load, i64 %bank
  %bank.old = load i32, ptr %bank.place
  %bank.new = add i32 %bank.old, 1
  store i32 %bank.new, ptr %bank.place
  %most.more = call i32 @llvm.umax.i32(i32 %most, i32 %bank.new)
  br label %word.next
word.next:
  %count.next = phi i32 [ %count, %compare ], [ %count.more, %fresh ]
  %most.next = phi i32 [ %most, %compare ], [ %most.more, %fresh ]
  %k.next = add i32 %k, 1
  %words.left = icmp ult i32 %k.next, %lane.words
  br i1 %words.left, label %word, label %lane.next
lane.next:
  %rest.less = sub i32 %rest, 1
  %rest.next = and i32 %rest, %rest.less
  %done = icmp eq i32 %rest.next, 0
  br i1 %done, label %end, label %lane
end:
  %all = zext i32 %count.next to i64
  %all.high = shl i64 %all, 16
  %most.wide = zext i32 %most.next to i64
  %packed = or i64 %all.high, %most.wide
  ret i64 %packed
}

; Local memory is interleaved on the GPU: word w of lane l lies at (32 w + l) words.
define internal void @ww_count_local(ptr %context, ptr %warp, ptr %site, ptr %addresses, i32 %mask) $attributes {
  %spread = alloca <32 x i64>
  %a = load <32 x i64>, ptr %addresses
  %words = lshr <32 x i64> %a, splat (i64 2)
  %rows = shl <32 x i64> %words, splat (i64 7)
  %columns = shl <32 x i64> $lane_numbers, splat (i64 2)
  %within = and <32 x i64> %a, splat (i64 3)
  %start = add <32 x i64> %rows, %columns
  %place = add <32 x i64> %start, %within
  store <32 x i64> %place, ptr %spread
  call void @ww_count_global(ptr %site, ptr %spread, i32 %mask)
  ret void
}
