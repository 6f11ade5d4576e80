"""How figures are worded: every estimated time says so, and nothing unknown is shown as a number."""

from warpwright.benchmark.figure import PairedFigure
from warpwright.profiler.sanitizer.report import SanitizerReport
from warpwright.record.evidence import TimesFrom
from warpwright.units import format_ratio, format_us, labelled

UNKNOWN = "-"


def time_text(us: float | None, *, estimated: bool) -> str:
    """`est. 12.3 us`, `12.3 us`, or a dash."""
    if us is None:
        return UNKNOWN
    return labelled(format_us(us), estimated=estimated)


def ratio_text(ratio: float | None) -> str:
    """`1.50x`, or a dash."""
    return UNKNOWN if ratio is None else format_ratio(ratio)


def percent_text(ratio: float | None) -> str:
    """A part of a whole as per cent: `37 %`, below ten with a digit more; or a dash."""
    if ratio is None:
        return UNKNOWN
    percent = ratio * 100
    return f"{percent:.1f} %" if percent < 10 else f"{percent:.0f} %"


def source_text(times: TimesFrom | None) -> str:
    """Where times come from: `estimates of an NVIDIA H200 (uncertain by 15 %), not measurements`."""
    if times is None:
        return "no times"
    if times.estimated:
        return (
            f"estimates of {_article(times.gpu)} (uncertain by {times.uncertainty_ratio * 100:.0f} %), not measurements"
        )
    return f"measured on {_article(times.gpu)}"


def interval_text(figure: PairedFigure) -> str:
    """`paired run of 10 rounds, 95 % interval 1.24x to 1.26x`."""
    low, high = (f"{edge:.3f}x" if abs(edge - 1) < 0.1 else format_ratio(edge) for edge in (figure.low, figure.high))
    text = f"paired run of {figure.rounds} rounds, 95 % interval {low} to {high}"
    return ", ".join([text, *(flag.replace("_", " ") for flag in figure.flags)])


def sanitizer_text(report: SanitizerReport | None) -> str | None:
    """`clean (4 tools)`, `not run: ...`; None where there is nothing to say: on the emulator, or before the end."""
    return None if report is None or not report.applicable else report.summary


def duration_text(seconds: float) -> str:
    """`45 s`, `3 min 05 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def _article(gpu: str) -> str:
    return f"an {gpu}" if gpu[:1] in "AEINO" else f"a {gpu}"
