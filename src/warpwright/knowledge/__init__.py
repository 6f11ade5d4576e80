"""What NVIDIA and practice say about a bottleneck: the field guide (data) and an index over documentation on this disk."""
