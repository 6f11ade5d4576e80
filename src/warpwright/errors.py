"""Everything that can go wrong and is not a candidate's fault.

A failed candidate is data (`evaluation.Outcome`), never an exception. What travels as an exception:

    WarpwrightError               1  a fault of ours
    +- InputError                 2  the user's files or words
    |  +- UsageError              2  command line
    |  +- WorkloadError           2  workload.toml, reference.py, kernel.cu
    |  +- CandidateError          2  candidate.toml, a launch plan or expression given by the user
    |  +- RecordError             2  a session directory that cannot be read
    +- NoCandidatePassed          3  the run ended and nothing passed every check
    +- UnavailableError           4  something this machine lacks
    |  +- DeviceUnavailable       4  no such device, driver or executor
    |  +- ToolchainUnavailable    4  no NVRTC, no headers
    |  +- ModelUnavailable        4  no model, no key, provider down
    +- InfrastructureError        4  the machine failed under us; the session stops resumable
    +- UnsupportedInstruction     4  PTX the emulator does not execute; a GPU would
    +- Interrupted              130  Ctrl-C; the session is resumable

Messages say where, what was found, what is allowed and what to do next.
"""

from typing import ClassVar


class WarpwrightError(Exception):
    """Root of the tree; a bare one is a fault of Warpwright itself."""

    exit_code: ClassVar[int] = 1


class InputError(WarpwrightError):
    """The user's files or words cannot be used as they are."""

    exit_code = 2


class UsageError(InputError):
    """The command line asks for something that does not exist or does not fit together."""


class WorkloadError(InputError):
    """A workload directory is refused; the message names file, key, what was found and what is allowed."""


class CandidateError(InputError):
    """A candidate directory, launch plan or expression supplied by the user is refused."""


class RecordError(InputError):
    """A session directory is missing, unreadable or of another version."""


class NoCandidatePassed(WarpwrightError):
    """The run ended in order, but no candidate passed every check."""

    exit_code = 3


class UnavailableError(WarpwrightError):
    """This machine lacks something that was asked for; the message gives the remedy."""

    exit_code = 4


class DeviceUnavailable(UnavailableError):
    """The device asked for is not here."""


class ToolchainUnavailable(UnavailableError):
    """NVRTC or its headers are not here."""


class ModelUnavailable(UnavailableError):
    """The language model cannot be reached or used."""


class InfrastructureError(WarpwrightError):
    """The machine failed under the run (worker gone, disk full); the session can be resumed."""

    exit_code = 4


class UnsupportedInstruction(WarpwrightError):
    """PTX that the emulator does not execute: `kernel.cu:14 (PTX line 87): wgmma.mma_async is not emulated ...`."""

    exit_code = 4


class Interrupted(WarpwrightError):
    """The user stopped the run; the session can be resumed."""

    exit_code = 130
