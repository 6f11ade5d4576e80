"""A report of Nsight Compute, read by NVIDIA's module or from what Nsight Compute prints."""
