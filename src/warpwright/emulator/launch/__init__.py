"""Loading PTX, launching kernels, sampling blocks."""
