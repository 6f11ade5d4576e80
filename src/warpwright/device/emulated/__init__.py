"""The PTX emulator as a device: adapter and killable worker."""
