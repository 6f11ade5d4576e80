; Blocks one after another; in a block its warps in turn, each until it parks at a barrier, ends, or spins for too long.
; Every function gives 0, or 1 with the fault in the context.

define i32 @ww_run(ptr %context) $attributes {
entry:
  %blocks.place = getelementptr i8, ptr %context, i64 $context_blocks
  %blocks = load ptr, ptr %blocks.place
  %count.place = getelementptr i8, ptr %context, i64 $context_block_count
  %count = load i64, ptr %count.place
  %done.place = getelementptr i8, ptr %context, i64 $context_blocks_done
  br label %loop
loop:
  %b = phi i64 [ 0, %entry ], [ %b.next, %next ]
  %more = icmp ult i64 %b, %count
  br i1 %more, label %block, label %good
block:
  %id.place = getelementptr i64, ptr %blocks, i64 %b
  %id = load i64, ptr %id.place
  call void @ww_begin_block(ptr %context, i64 %id)
  %bad = call i32 @ww_block(ptr %context)
  %is.bad = icmp ne i32 %bad, 0
  br i1 %is.bad, label %stop, label %next
next:
  %b.next = add i64 %b, 1
  store i64 %b.next, ptr %done.place
  br label %loop
good:
  ret i32 0
stop:
  ret i32 1
}

define internal void @ww_begin_block(ptr %context, i64 %id) $attributes {
entry:
  %id.place = getelementptr i8, ptr %context, i64 $context_block_id
  store i64 %id, ptr %id.place
  %gx.place = getelementptr i8, ptr %context, i64 $context_nctaid_x
  %gx.32 = load i32, ptr %gx.place
  %gx = zext i32 %gx.32 to i64
  %gy.place = getelementptr i8, ptr %context, i64 $context_nctaid_y
  %gy.32 = load i32, ptr %gy.place
  %gy = zext i32 %gy.32 to i64
  %x = urem i64 %id, %gx
  %yz = udiv i64 %id, %gx
  %y = urem i64 %yz, %gy
  %z = udiv i64 %yz, %gy
  %x.32 = trunc i64 %x to i32
  %y.32 = trunc i64 %y to i32
  %z.32 = trunc i64 %z to i32
  %x.place = getelementptr i8, ptr %context, i64 $context_ctaid_x
  store i32 %x.32, ptr %x.place
  %y.place = getelementptr i8, ptr %context, i64 $context_ctaid_y
  store i32 %y.32, ptr %y.place
  %z.place = getelementptr i8, ptr %context, i64 $context_ctaid_z
  store i32 %z.32, ptr %z.place
  %arrived = getelementptr i8, ptr %context, i64 $context_arrived
  call void @llvm.memset.p0.i64(ptr %arrived, i8 0, i64 64, i1 false)
  %shared.place = getelementptr i8, ptr %context, i64 $context_shared
  %shared = load ptr, ptr %shared.place
  %shared.bytes.place = getelementptr i8, ptr %context, i64 $context_shared_bytes
  %shared.bytes = load i64, ptr %shared.bytes.place
  call void @llvm.memset.p0.i64(ptr %shared, i8 0, i64 %shared.bytes, i1 false)
  %local.place = getelementptr i8, ptr %context, i64 $context_local
  %local = load ptr, ptr %local.place
  %local.bytes.place = getelementptr i8, ptr %context, i64 $context_local_bytes
  %local.bytes = load i64, ptr %local.bytes.place
  %warps.place = getelementptr i8, ptr %context, i64 $context_warp_count
  %warps = load i64, ptr %warps.place
  %threads = mul i64 %warps, 32
  %all.local = mul i64 %threads, %local.bytes
  call void @llvm.memset.p0.i64(ptr %local, i8 0, i64 %all.local, i1 false)
  br label %loop
loop:
  %w = phi i64 [ 0, %entry ], [ %w.next, %loop ]
  call void @ww_begin_warp(ptr %context, i64 %w)
  %w.next = add i64 %w, 1
  %more = icmp ult i64 %w.next, %warps
  br i1 %more, label %loop, label %end
end:
  ret void
}

define internal ptr @ww_warp(ptr %context, i64 %w) $attributes {
  %warps.place = getelementptr i8, ptr %context, i64 $context_warps
  %warps = load ptr, ptr %warps.place
  %bytes.place = getelementptr i8, ptr %context, i64 $context_warp_bytes
  %bytes = load i64, ptr %bytes.place
  %distance = mul i64 %w, %bytes
  %warp = getelementptr i8, ptr %warps, i64 %distance
  ret ptr %warp
}

define internal void @ww_begin_warp(ptr %context, i64 %w) $attributes {
entry:
  %warp = call ptr @ww_warp(ptr %context, i64 %w)
  %ranges.place = getelementptr i8, ptr %context, i64 $context_zeroed
  %ranges = load ptr, ptr %ranges.place
  %count.place = getelementptr i8, ptr %context, i64 $context_zeroed_count
  %count = load i64, ptr %count.place
  br label %loop
loop:
  %r = phi i64 [ 0, %entry ], [ %r.next, %zero ]
  %more = icmp ult i64 %r, %count
  br i1 %more, label %zero, label %start
zero:
  %r.next = add i64 %r, 1
  %double = mul i64 %r, 16
  %range = getelementptr i8, ptr %ranges, i64 %double
  %from = load i64, ptr %range
  %bytes.place = getelementptr i8, ptr %range, i64 8
  %bytes = load i64, ptr %bytes.place
  %place = getelementptr i8, ptr %warp, i64 %from
  call void @llvm.memset.p0.i64(ptr %place, i8 0, i64 %bytes, i1 false)
  br label %loop
start:
  %index.place = getelementptr i8, ptr %warp, i64 $warp_index
  %w.32 = trunc i64 %w to i32
  store i32 %w.32, ptr %index.place
  %live.place = getelementptr i8, ptr %context, i64 $context_live
  %live = load ptr, ptr %live.place
  %mask.place = getelementptr i32, ptr %live, i64 %w
  %mask = load i32, ptr %mask.place
  call void @ww_make_ready(ptr %context, ptr %warp, i32 0, i32 %mask)
  ret void
}

; Lanes that may go on at a basic block.
define internal void @ww_make_ready(ptr %context, ptr %warp, i32 %block, i32 %mask) $attributes {
  %pending.place = getelementptr i8, ptr %context, i64 $context_pending_offset
  %pending.offset = load i64, ptr %pending.place
  %pending = getelementptr i8, ptr %warp, i64 %pending.offset
  %own = getelementptr i32, ptr %pending, i32 %block
  %old = load i32, ptr %own
  %new = or i32 %old, %mask
  store i32 %new, ptr %own
  %ready = getelementptr i8, ptr %warp, i64 $warp_size
  %word.index = lshr i32 %block, 6
  %word.place = getelementptr i64, ptr %ready, i32 %word.index
  %word = load i64, ptr %word.place
  %position.32 = and i32 %block, 63
  %position = zext i32 %position.32 to i64
  %bit = shl i64 1, %position
  %word.new = or i64 %word, %bit
  store i64 %word.new, ptr %word.place
  %was.empty = icmp eq i32 %old, 0
  %more = zext i1 %was.empty to i32
  %count = load i32, ptr %warp
  %count.new = add i32 %count, %more
  store i32 %count.new, ptr %warp
  ret void
}

; The lowest ready block of a kernel with more than 64 of them, beginning at block %from and then from 0 again.
define i32 @ww_lowest(ptr %warp, i32 %words, i32 %from) $attributes {
entry:
  %ready = getelementptr i8, ptr %warp, i64 $warp_size
  %first.word = lshr i32 %from, 6
  %position.32 = and i32 %from, 63
  %position = zext i32 %position.32 to i64
  %upper = shl i64 -1, %position
  br label %loop
loop:
  %index = phi i32 [ %first.word, %entry ], [ %index.next, %next ]
  %keep = phi i64 [ %upper, %entry ], [ -1, %next ]
  %place = getelementptr i64, ptr %ready, i32 %index
  %all = load i64, ptr %place
  %word = and i64 %all, %keep
  %empty = icmp eq i64 %word, 0
  br i1 %empty, label %next, label %found
next:
  %up = add i32 %index, 1
  %beyond = icmp uge i32 %up, %words
  %index.next = select i1 %beyond, i32 0, i32 %up
  br label %loop
found:
  %bit = call i64 @llvm.cttz.i64(i64 %word, i1 true)
  %bit.32 = trunc i64 %bit to i32
  %base = shl i32 %index, 6
  %block = or i32 %base, %bit.32
  ret i32 %block
}

define internal i32 @ww_block(ptr %context) $attributes {
entry:
  %step.place = getelementptr i8, ptr %context, i64 $context_step
  %step = load ptr, ptr %step.place
  %warps.place = getelementptr i8, ptr %context, i64 $context_warp_count
  %warps = load i64, ptr %warps.place
  br label %round
round:
  br label %warp
warp:
  %w = phi i64 [ 0, %round ], [ %w.next, %next ]
  %unfinished = phi i32 [ 0, %round ], [ %unfinished.next, %next ]
  %runnable = phi i32 [ 0, %round ], [ %runnable.next, %next ]
  %warp.place = call ptr @ww_warp(ptr %context, i64 %w)
  %state.place = getelementptr i8, ptr %warp.place, i64 $warp_state
  %state = load i32, ptr %state.place
  %runs = icmp eq i32 %state, $STATE_RUNNABLE
  br i1 %runs, label %run, label %next
run:
  %state.new = call i32 %step(ptr %context, ptr %warp.place)
  store i32 %state.new, ptr %state.place
  %faulted = icmp eq i32 %state.new, $STATE_FAULT
  br i1 %faulted, label %stop, label %next
next:
  %now = phi i32 [ %state, %warp ], [ %state.new, %run ]
  %is.unfinished = icmp ne i32 %now, $STATE_DONE
  %unfinished.one = zext i1 %is.unfinished to i32
  %unfinished.next = add i32 %unfinished, %unfinished.one
  %is.runnable = icmp eq i32 %now, $STATE_RUNNABLE
  %runnable.one = zext i1 %is.runnable to i32
  %runnable.next = add i32 %runnable, %runnable.one
  %w.next = add i64 %w, 1
  %more = icmp ult i64 %w.next, %warps
  br i1 %more, label %warp, label %judge
judge:
  %all.done = icmp eq i32 %unfinished.next, 0
  br i1 %all.done, label %good, label %release
release:
  %released = call i32 @ww_release(ptr %context, i32 %unfinished.next)
  %failed = icmp slt i32 %released, 0
  br i1 %failed, label %stop, label %progress
progress:
  %alive = or i32 %released, %runnable.next
  %stuck = icmp eq i32 %alive, 0
  br i1 %stuck, label %deadlock, label %round
deadlock:
  call void @ww_report_waiting(ptr %context, i32 $FAULT_DEADLOCK, i64 0)
  br label %stop
good:
  ret i32 0
stop:
  ret i32 1
}

; Warps released from barriers that are complete; -1 after a fault. A barrier without a count is complete when every
; unfinished warp waits at it.
define internal i32 @ww_release(ptr %context, i32 %unfinished) $attributes {
entry:
  br label %number
number:
  %id = phi i32 [ 0, %entry ], [ %id.next, %number.next ]
  %total = phi i32 [ 0, %entry ], [ %total.next, %number.next ]
  %released = call i32 @ww_release_number(ptr %context, i32 %id, i32 %unfinished)
  %failed = icmp slt i32 %released, 0
  br i1 %failed, label %stop, label %number.next
number.next:
  %total.next = add i32 %total, %released
  %id.next = add i32 %id, 1
  %more = icmp ult i32 %id.next, 16
  br i1 %more, label %number, label %good
good:
  ret i32 %total.next
stop:
  ret i32 -1
}

define internal i32 @ww_release_number(ptr %context, i32 %id, i32 %unfinished) $attributes {
entry:
  %warps.place = getelementptr i8, ptr %context, i64 $context_warp_count
  %warps = load i64, ptr %warps.place
  %arrived = getelementptr i8, ptr %context, i64 $context_arrived
  %arrived.place = getelementptr i32, ptr %arrived, i32 %id
  %arrived.threads = load i32, ptr %arrived.place
  br label %count
count:
  %w = phi i64 [ 0, %entry ], [ %w.next, %count.next ]
  %waiting = phi i32 [ 0, %entry ], [ %waiting.next, %count.next ]
  %expected = phi i32 [ 0, %entry ], [ %expected.next, %count.next ]
  %node = phi i32 [ -1, %entry ], [ %node.next, %count.next ]
  %mixed = phi i32 [ 0, %entry ], [ %mixed.next, %count.next ]
  %votes = phi i32 [ 0, %entry ], [ %votes.next, %count.next ]
  %voters = phi i32 [ 0, %entry ], [ %voters.next, %count.next ]
  %warp = call ptr @ww_warp(ptr %context, i64 %w)
  %here = call i32 @ww_waits_at(ptr %warp, i32 %id)
  %is.here = icmp ne i32 %here, 0
  br i1 %is.here, label %member, label %count.next
member:
  %expected.place = getelementptr i8, ptr %warp, i64 $warp_barrier_threads
  %own.expected = load i32, ptr %expected.place
  %node.place = getelementptr i8, ptr %warp, i64 $warp_barrier_node
  %own.node = load i32, ptr %node.place
  %is.first = icmp eq i32 %node, -1
  %node.kept = select i1 %is.first, i32 %own.node, i32 %node
  %same.node = icmp eq i32 %node, %own.node
  %fits = or i1 %is.first, %same.node
  %strange = xor i1 %fits, true
  %undecided = icmp eq i32 %mixed, 0
  %is.culprit = and i1 %strange, %undecided
  %w.32 = trunc i64 %w to i32
  %w.name = add i32 %w.32, 1
  %mixed.more = select i1 %is.culprit, i32 %w.name, i32 %mixed
  %votes.place = getelementptr i8, ptr %warp, i64 $warp_barrier_votes
  %own.votes = load i32, ptr %votes.place
  %parked.place = getelementptr i8, ptr %warp, i64 $warp_parked
  %parked = load i32, ptr %parked.place
  %votes.here = and i32 %own.votes, %parked
  %votes.count = call i32 @llvm.ctpop.i32(i32 %votes.here)
  %voters.count = call i32 @llvm.ctpop.i32(i32 %parked)
  %votes.more = add i32 %votes, %votes.count
  %voters.more = add i32 %voters, %voters.count
  %waiting.more = add i32 %waiting, 1
  br label %count.next
count.next:
  %waiting.next = phi i32 [ %waiting, %count ], [ %waiting.more, %member ]
  %expected.next = phi i32 [ %expected, %count ], [ %own.expected, %member ]
  %node.next = phi i32 [ %node, %count ], [ %node.kept, %member ]
  %mixed.next = phi i32 [ %mixed, %count ], [ %mixed.more, %member ]
  %votes.next = phi i32 [ %votes, %count ], [ %votes.more, %member ]
  %voters.next = phi i32 [ %voters, %count ], [ %voters.more, %member ]
  %w.next = add i64 %w, 1
  %more = icmp ult i64 %w.next, %warps
  br i1 %more, label %count, label %judge
judge:
  %nobody = icmp eq i32 %waiting.next, 0
  br i1 %nobody, label %none, label %complete
complete:
  %whole = icmp eq i32 %expected.next, 0
  %all.here = icmp eq i32 %waiting.next, %unfinished
  %waiting.threads = shl i32 %waiting.next, 5
  %threads = add i32 %waiting.threads, %arrived.threads
  %enough = icmp uge i32 %threads, %expected.next
  %is.complete = select i1 %whole, i1 %all.here, i1 %enough
  br i1 %is.complete, label %open, label %none
open:
  %is.mixed = icmp ne i32 %mixed.next, 0
  %divergent = and i1 %is.mixed, %whole
  br i1 %divergent, label %fault, label %free
free:
  store i32 0, ptr %arrived.place
  call void @ww_free(ptr %context, i32 %id, i32 %votes.next, i32 %voters.next)
  ret i32 %waiting.next
none:
  ret i32 0
fault:
  %culprit = sub i32 %mixed.next, 1
  %culprit.64 = zext i32 %culprit to i64
  call void @ww_report_waiting(ptr %context, i32 $FAULT_BARRIER, i64 %culprit.64)
  ret i32 -1
}

define internal i32 @ww_waits_at(ptr %warp, i32 %id) $attributes {
  %state.place = getelementptr i8, ptr %warp, i64 $warp_state
  %state = load i32, ptr %state.place
  %parked = icmp eq i32 %state, $STATE_PARKED
  %id.place = getelementptr i8, ptr %warp, i64 $warp_barrier_id
  %own.id = load i32, ptr %id.place
  %same = icmp eq i32 %own.id, %id
  %both = and i1 %parked, %same
  %answer = zext i1 %both to i32
  ret i32 %answer
}

; Let the warps of a complete barrier go on, and give them the result of a bar.red.
define internal void @ww_free(ptr %context, i32 %id, i32 %votes, i32 %voters) $attributes {
entry:
  %warps.place = getelementptr i8, ptr %context, i64 $context_warp_count
  %warps = load i64, ptr %warps.place
  br label %loop
loop:
  %w = phi i64 [ 0, %entry ], [ %w.next, %next ]
  %warp = call ptr @ww_warp(ptr %context, i64 %w)
  %here = call i32 @ww_waits_at(ptr %warp, i32 %id)
  %is.here = icmp ne i32 %here, 0
  br i1 %is.here, label %free, label %next
free:
  %parked.place = getelementptr i8, ptr %warp, i64 $warp_parked
  %parked = load i32, ptr %parked.place
  %resume.place = getelementptr i8, ptr %warp, i64 $warp_resume
  %resume = load i32, ptr %resume.place
  call void @ww_deliver(ptr %warp, i32 %parked, i32 %votes, i32 %voters)
  call void @ww_make_ready(ptr %context, ptr %warp, i32 %resume, i32 %parked)
  store i32 0, ptr %parked.place
  %state.place = getelementptr i8, ptr %warp, i64 $warp_state
  store i32 $STATE_RUNNABLE, ptr %state.place
  br label %next
next:
  %w.next = add i64 %w, 1
  %more = icmp ult i64 %w.next, %warps
  br i1 %more, label %loop, label %end
end:
  ret void
}

; result_kind: 0 none, 1 popc (32 words), 2 and, 3 or (a predicate mask).
define internal void @ww_deliver(ptr %warp, i32 %parked, i32 %votes, i32 %voters) $attributes {
entry:
  %kind.place = getelementptr i8, ptr %warp, i64 $warp_result_kind
  %kind = load i32, ptr %kind.place
  %offset.place = getelementptr i8, ptr %warp, i64 $warp_result_offset
  %offset = load i32, ptr %offset.place
  %place = getelementptr i8, ptr %warp, i32 %offset
  switch i32 %kind, label %end [ i32 1, label %popc
                                 i32 2, label %and
                                 i32 3, label %or ]
popc:
  %active = bitcast i32 %parked to <32 x i1>
  %votes.first = insertelement <32 x i32> poison, i32 %votes, i32 0
  %votes.all = shufflevector <32 x i32> %votes.first, <32 x i32> poison, <32 x i32> zeroinitializer
  %words = load <32 x i32>, ptr %place, align 64
  %words.new = select <32 x i1> %active, <32 x i32> %votes.all, <32 x i32> %words
  store <32 x i32> %words.new, ptr %place, align 64
  ret void
and:
  %every = icmp eq i32 %votes, %voters
  br label %predicate
or:
  %any = icmp ne i32 %votes, 0
  br label %predicate
predicate:
  %truth = phi i1 [ %every, %and ], [ %any, %or ]
  %value = sext i1 %truth to i32
  %old = load i32, ptr %place
  %others = xor i32 %parked, -1
  %kept = and i32 %old, %others
  %set = and i32 %value, %parked
  %new = or i32 %kept, %set
  store i32 %new, ptr %place
  ret void
end:
  ret void
}

; A fault of the block as a whole, placed at the first waiting warp from number %from on.
define internal void @ww_report_waiting(ptr %context, i32 %kind, i64 %from) $attributes {
entry:
  %kind.place = getelementptr i8, ptr %context, i64 $context_fault_kind
  store i32 %kind, ptr %kind.place
  %warps.place = getelementptr i8, ptr %context, i64 $context_warp_count
  %warps = load i64, ptr %warps.place
  br label %loop
loop:
  %w = phi i64 [ %from, %entry ], [ %w.next, %next ]
  %warp = call ptr @ww_warp(ptr %context, i64 %w)
  %state.place = getelementptr i8, ptr %warp, i64 $warp_state
  %state = load i32, ptr %state.place
  %waits = icmp eq i32 %state, $STATE_PARKED
  br i1 %waits, label %report, label %next
report:
  %node.from = getelementptr i8, ptr %warp, i64 $warp_barrier_node
  %node = load i32, ptr %node.from
  %node.place = getelementptr i8, ptr %context, i64 $context_fault_node
  store i32 %node, ptr %node.place
  %w.32 = trunc i64 %w to i32
  %warp.place = getelementptr i8, ptr %context, i64 $context_fault_warp
  store i32 %w.32, ptr %warp.place
  %parked.place = getelementptr i8, ptr %warp, i64 $warp_parked
  %parked = load i32, ptr %parked.place
  %lane = call i32 @llvm.cttz.i32(i32 %parked, i1 false)
  %lane.place = getelementptr i8, ptr %context, i64 $context_fault_lane
  store i32 %lane, ptr %lane.place
  ret void
next:
  %w.next = add i64 %w, 1
  %more = icmp ult i64 %w.next, %warps
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i64 @llvm.cttz.i64(i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; A fault that generated code found itself: trap, barrier, budget.
define void @ww_stop(ptr %context, ptr %warp, i32 %kind, i32 %node, i32 %mask) cold $attributes {
  %kind.place = getelementptr i8, ptr %context, i64 $context_fault_kind
  store i32 %kind, ptr %kind.place
  %node.place = getelementptr i8, ptr %context, i64 $context_fault_node
  store i32 %node, ptr %node.place
  %index.place = getelementptr i8, ptr %warp, i64 $warp_index
  %index = load i32, ptr %index.place
  %warp.place = getelementptr i8, ptr %context, i64 $context_fault_warp
  store i32 %index, ptr %warp.place
  %lane = call i32 @llvm.cttz.i32(i32 %mask, i1 false)
  %lane.place = getelementptr i8, ptr %context, i64 $context_fault_lane
  store i32 %lane, ptr %lane.place
  ret void
}
