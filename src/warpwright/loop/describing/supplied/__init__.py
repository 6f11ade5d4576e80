"""Files of the person's own in a description."""

from warpwright.loop.describing.supplied.check import SuppliedFault, check_supplied

__all__ = ["SuppliedFault", "check_supplied"]
