; Block barriers: who waits where, which are complete, and what completing one gives.

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
