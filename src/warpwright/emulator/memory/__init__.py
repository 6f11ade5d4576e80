"""Emulated device memory and its faults."""
