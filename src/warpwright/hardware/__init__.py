"""GPUs as data: limits, rates, occupancy."""

from warpwright.hardware.catalog import gpu_keys, load_gpu
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.hardware.occupancy import Limiter, Occupancy, theoretical_occupancy

__all__ = ["GpuSpec", "Limiter", "Occupancy", "gpu_keys", "load_gpu", "theoretical_occupancy"]
