"""An NVIDIA GPU as a device: the client of `warpwright-harness`."""
