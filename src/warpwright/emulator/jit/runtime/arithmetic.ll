; 64-bit division and lane permutation: loops that would fill a kernel's code if they were inline.
; One definition for each of (name, instruction): $name, $operation.
define void @ww_${name}64(ptr %a, ptr %b) $attributes {
entry:
  br label %loop
loop:
  %lane = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a.place = getelementptr i64, ptr %a, i64 %lane
  %b.place = getelementptr i64, ptr %b, i64 %lane
  %x = load i64, ptr %a.place
  %y = load i64, ptr %b.place
  ; Lanes that are switched off may hold anything; they must not divide by zero or overflow.
  %is.zero = icmp eq i64 %y, 0
  %is.minus.one = icmp eq i64 %y, -1
  %is.least = icmp eq i64 %x, -9223372036854775808
  %overflows = and i1 %is.minus.one, %is.least
  %unsafe = or i1 %is.zero, %overflows
  %signed.safe = select i1 %unsafe, i64 1, i64 %y
  %unsigned.safe = select i1 %is.zero, i64 1, i64 %y
  %result = $operation i64 %x, %$safe
  store i64 %result, ptr %a.place
  %next = add i64 %lane, 1
  %more = icmp ult i64 %next, 32
  br i1 %more, label %loop, label %end
end:
  ret void
}
