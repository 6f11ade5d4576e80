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

declare i64 @llvm.cttz.i64(i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
