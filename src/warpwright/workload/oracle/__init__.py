"""Runs a workload's reference.py in a process of its own."""

from warpwright.workload.oracle.oracle import Oracle
from warpwright.workload.oracle.verdict import CustomVerdict

__all__ = ["CustomVerdict", "Oracle"]
