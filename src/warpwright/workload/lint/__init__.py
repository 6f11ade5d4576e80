"""Finds what would make a result on a workload untrustworthy, before anything is spent on it."""

from warpwright.workload.lint.finding import LintFinding, Severity
from warpwright.workload.lint.lint import lint

__all__ = ["LintFinding", "Severity", "lint"]
