"""Whether a person has approved a workload that a model wrote, and whether it is still what was approved."""

from warpwright.workload.approval.approval import (
    APPROVAL_FILE,
    Approval,
    approval_text,
    approval_to_json,
    read_approval,
    write_approval,
)

__all__ = ["APPROVAL_FILE", "Approval", "approval_text", "approval_to_json", "read_approval", "write_approval"]
