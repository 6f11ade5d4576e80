"""How often the paired decision is right: the same kernel against itself, and against one that is 2 % faster.

    python -m benchmarks.measurement.aa_study --output DIR [--device gpu:0] [--only SERIES ...] [--count 200]

Targets: at least 97 % ties in 200 A/A comparisons at 3, 10, 100 and 1000 us; at least 95 % of true 2 % gains found at 100 us.
"""

import secrets
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from benchmarks.measurement.machine import machine_of
from benchmarks.measurement.shared_process import SharedProcess
from benchmarks.measurement.study import Row, Study, load_kernels, parse_options, print_table

from warpwright.benchmark.empty_launch import EmptyLaunches
from warpwright.benchmark.figure import PairedFigure
from warpwright.benchmark.paired import PairedOptions
from warpwright.cli.bench_options import bench_options
from warpwright.cli.environment import environment
from warpwright.compiler.compiler import Compiler
from warpwright.device.measurement import Phase
from warpwright.device.measuring import MeasuringDevice
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.building.build import build
from warpwright.evaluation.building.plans import resolve_plans
from warpwright.evaluation.course import Course
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.promotion.comparison import PairedComparison
from warpwright.evaluation.promotion.paired_run import PairedBench
from warpwright.evaluation.timing.timed_cases import TimedCases
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.seeds import SeedPool
from warpwright.workload.model import Workload

GAIN = 1.02
PER_PROCESS = 25
"""Comparisons that share a harness process, and one A/A floor: starting one takes longer than a comparison."""

PROTOCOL = f"""Kernel `steady`: a chain of multiply-adds whose length sets the time, 135168 threads (`chain`), or 48 MiB of
arrays and no chain (`stream`). Each comparison is the promotion gate's: 10 warm-ups of each side, 10 rounds of 10 + 10
launches in random order, 10 more rounds while undecided, fresh values for every launch, cold L2, timed outputs verified,
tainted rounds taken again. {PER_PROCESS} comparisons share a harness process and its A/A floor; those of series `fresh_`
have their own. In A/A comparisons both sides are the same binary, loaded twice; in `gain_` the contender's chain is shorter
by what a linear fit says is 2 % of the whole time, and `measured_gain` is the median ratio over all its comparisons."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A series of comparisons. target_us: time of a launch, None = whatever the arrays take. gain: true ratio."""

    name: str
    case: str
    target_us: float | None
    gain: float = 1.0
    share: float = 1.0
    """Of the comparisons asked for."""
    per_process: int = PER_PROCESS


PLANS = (
    Plan("aa_100us", "chain", 100.0),
    Plan("gain_100us", "chain", 100.0, GAIN),
    Plan("aa_10us", "chain", 10.0),
    Plan("aa_3us", "chain", 3.0),
    Plan("aa_1000us", "chain", 1000.0),
    Plan("fresh_aa_100us", "chain", 100.0, share=0.1, per_process=1),
    Plan("aa_stream", "stream", None, share=0.2),
)


@dataclass(slots=True)
class Stand:
    """Everything that comparisons share. medians: length of the chain -> time of a launch in us."""

    workload: Workload
    device: SharedProcess
    compiler: Compiler
    paired: PairedBench
    medians: dict[int, float] = field(default_factory=dict)

    def gate(self) -> PairedComparison:
        """The promotion gate, in a fresh process, before it has found any A/A floor."""
        self.device.next_process()
        return PairedComparison(self.paired, PairedOptions())

    def course(self, case: str, steps: int) -> Course:
        """The kernel with a chain of that length, compiled."""
        chosen = self.workload.case(case)
        tunables: Mapping[str, tuple[int, ...]] = MappingProxyType({"STEPS": (steps,)})
        candidate = replace(self.workload.initial, tunables=tunables)
        plans = resolve_plans(candidate, self.workload, [chosen], self.device.spec)
        if isinstance(plans, Failure):
            raise SystemExit(plans.message)
        built, failure = build(candidate, plans, [chosen], self.compiler, self.device.target.arch)
        if failure is not None:
            raise SystemExit(failure.message)
        return Course(candidate, [chosen], plans=plans, built=built)

    def median_us(self, steps: int) -> float:
        """Time of a launch; measured once, by an A/A comparison."""
        if steps not in self.medians:
            side = self.course("chain", steps)
            self.medians[steps] = decided(self.gate(), side, side).cases[0].incumbent_us
        return self.medians[steps]

    def steps_for(self, target_us: float) -> int:
        """Length of a chain that takes that long; 0 if the bare kernel takes longer already."""
        short, long = 2000, 20000
        slope = (self.median_us(long) - self.median_us(short)) / (long - short)
        if slope <= 0:
            raise SystemExit("a longer chain takes no longer on this device: there is nothing to choose a time with")
        return max(0, round(short + (target_us - self.median_us(short)) / slope))

    def sides(self, plan: Plan) -> tuple[Course, Course]:
        """Incumbent and contender."""
        if plan.target_us is None:
            return self.course(plan.case, 0), self.course(plan.case, 0)
        steps = self.steps_for(plan.target_us)
        faster = steps if plan.gain == 1.0 else self.steps_for(plan.target_us / plan.gain)
        return self.course(plan.case, steps), self.course(plan.case, faster)


def decided(gate: PairedComparison, incumbent: Course, contender: Course) -> PairedFigure:
    """What the gate decides. Raises: SystemExit if a kernel fails under the clock."""
    found = gate.compare(incumbent, contender)
    if not isinstance(found, PairedFigure):
        raise SystemExit(f"no figure: {found.message}")
    return found


def main() -> int:
    """Series after series; 1 if a target was missed."""
    options = parse_options(
        __doc__,
        [
            ("--only", {"nargs": "*", "default": [], "help": f"series: {', '.join(p.name for p in PLANS)}"}),
            ("--count", {"type": int, "default": 200, "help": "comparisons of a whole series"}),
        ],
    )
    study = Study("aa_study", PROTOCOL, options)
    workload = load_kernels("steady", options)
    secret = secrets.token_hex(32)
    with (
        open_bench(workload, options.device, secret, bench_options()) as bench,
        Compiler(None, environment().nvrtc) as compiler,
    ):
        study.describe(machine_of(bench.device))
        stand = stand_of(bench, compiler, secret)
        for plan in PLANS:
            if not options.only or plan.name in options.only:
                _run(stand, plan, round(options.count * plan.share), study)
    return _report(study)


def stand_of(bench: Bench, compiler: Compiler, secret: str) -> Stand:
    """Comparisons on an open bench. Raises: SystemExit if its device does not measure."""
    evaluator = bench.evaluator
    if not isinstance(bench.device, MeasuringDevice):
        raise SystemExit("this study needs a device that measures")
    device = SharedProcess(bench.device)
    values = HostValues(evaluator.workload, evaluator.oracle)
    cases = TimedCases(values, SeedPool(secret), device.spec)
    return Stand(evaluator.workload, device, compiler, PairedBench(values, device, cases, EmptyLaunches(device)))


def _run(stand: Stand, plan: Plan, count: int, study: Study) -> None:
    """Go on with a series until it is complete or the time is spent."""
    missing = count - sum(row["series"] == plan.name for row in study.rows)
    if missing <= 0 or not study.time_left:
        return
    incumbent, contender = stand.sides(plan)
    gate = stand.gate()
    for number in range(missing):
        if not study.time_left:
            return
        if number and number % plan.per_process == 0:
            gate = stand.gate()
        began = time.monotonic()
        found = decided(gate, incumbent, contender)
        study.add(_row(plan, found, time.monotonic() - began))


def _row(plan: Plan, found: PairedFigure, seconds: float) -> Row:
    case = found.cases[0]
    return {
        "series": plan.name,
        "rank": found.rank.value,
        "speedup": round(found.speedup, 6),
        "low": round(found.low, 6),
        "high": round(found.high, 6),
        "floor": None if found.floor_ratio is None else round(found.floor_ratio, 6),
        "rounds": found.rounds,
        "incumbent_us": round(case.incumbent_us, 4),
        "contender_us": round(case.contender_us, 4),
        "flags": list(found.flags),
        "rounds_log": [round(effect, 5) for effect in case.effects],
        "order": " ".join(case.order),
        "sm_mhz": [
            None if block.sm_mhz is None else round(block.sm_mhz)
            for measurement in case.measurements
            for block in measurement.blocks
            if block.phase is Phase.MEASURED
        ],
        "seconds": round(seconds, 3),
    }


def summarize(rows: Sequence[Row]) -> dict[str, Row]:
    """Series -> what it shows."""
    found = {}
    for plan in PLANS:
        own = [row for row in rows if row["series"] == plan.name]
        if not own:
            continue
        ranks = [row["rank"] for row in own]
        right = "tie" if plan.gain == 1.0 else "improved"
        gains = [row["incumbent_us"] / row["contender_us"] for row in own]
        found[plan.name] = {
            "comparisons": len(own),
            "median_us": statistics.median(row["incumbent_us"] for row in own),
            "right": ranks.count(right),
            "right_ratio": ranks.count(right) / len(own),
            "target_ratio": 0.97 if plan.gain == 1.0 else 0.95,
            "ranks": {rank: ranks.count(rank) for rank in sorted(set(ranks))},
            "measured_gain": statistics.median(gains),
            "extended": sum(row["rounds"] > 10 for row in own),
            "degraded": sum("degraded" in row["flags"] for row in own),
            "median_floor": statistics.median([row["floor"] for row in own if row["floor"] is not None]),
            "seconds": round(sum(row["seconds"] for row in own), 1),
        }
    return found


def _report(study: Study) -> int:
    summary = summarize(study.rows)
    study.finish(summary)
    shown = [
        (n, s["comparisons"], s["median_us"], s["right"], f"{s['right_ratio']:.1%}", f"{s['target_ratio']:.0%}",
         f"{s['measured_gain']:.4f}", s["extended"], s["degraded"], f"{s['median_floor']:.3%}", s["seconds"])
        for n, s in summary.items()
    ]  # fmt: skip
    columns = (
        "series", "n", "us", "right", "share", "target", "gain", "20 rounds", "degraded", "A/A floor", "seconds",
    )  # fmt: skip
    print_table("paired decisions", columns, shown)
    return 0 if all(s["right_ratio"] >= s["target_ratio"] for s in summary.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
