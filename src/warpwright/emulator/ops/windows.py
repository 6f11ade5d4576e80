"""Generic addresses: two windows for shared and local memory, everything else is global (constant memory too)."""

SHARED_WINDOW = 0x0100_0000_0000
"""Generic address of shared byte 0 (`cvta.shared`)."""

LOCAL_WINDOW = 0x0200_0000_0000
"""Generic address of local byte 0 (`cvta.local`)."""

WINDOW_BYTES = 1 << 32
"""Size of each window; an address inside it belongs to its space."""
