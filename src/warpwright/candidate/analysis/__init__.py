"""What a kernel's source says about itself: indices, guards, loops, accesses, accumulations."""
