"""What a move looks at: one launch of a candidate with its kernel, the workload, the GPU and what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from warpwright.candidate.analysis.kernel import KernelModel, read_kernel
from warpwright.candidate.candidate import Candidate, Launch, Scratch, allowed_overrides
from warpwright.candidate.expressions import parse
from warpwright.candidate.source import parse_source
from warpwright.candidate.source_edit import edited_text, replace_node
from warpwright.candidate.source_nodes import mentioned_names
from warpwright.evaluation.outcome import Evaluation
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.workload.model import ArrayParameter, Case, CaseKind, ScalarParameter, Workload


@dataclass(frozen=True, slots=True)
class Subject:
    """position: which launch of the plan. evaluation: of the candidate, if it has one."""

    candidate: Candidate
    position: int
    kernel: KernelModel
    workload: Workload
    gpu: GpuSpec
    evaluation: Evaluation | None

    @property
    def launch(self) -> Launch:
        """The launch of the kernel."""
        return self.candidate.plan.launches[self.position]

    @property
    def arguments(self) -> Mapping[str, ArrayParameter | ScalarParameter | Scratch]:
        """Kernel parameter name -> what the launch passes there."""
        passable: dict[str, ArrayParameter | ScalarParameter | Scratch] = {p.name: p for p in self.workload.parameters}
        passable.update({s.name: s for s in self.candidate.plan.scratch})
        names = self.launch.args if self.launch.args is not None else tuple(passable)
        pairs = zip(self.kernel.function.parameters, names, strict=False)
        return {parameter.name: passable[name] for parameter, name in pairs if name in passable}

    @property
    def perf_cases(self) -> tuple[Case, ...]:
        """Cases that are timed; where the candidate was timed before, those that were timed then."""
        perf = tuple(c for c in self.workload.cases if c.kind is CaseKind.PERF)
        evaluated = () if self.evaluation is None else self.evaluation.cases
        timed = {c.name for c in evaluated if c.timing is not None}
        return tuple(c for c in perf if c.name in timed) or perf

    @property
    def distinct_arrays(self) -> bool:
        """True if no two pointer parameters can overlap."""
        passed = [a.name for a in self.arguments.values() if not isinstance(a, ScalarParameter)]
        return len(set(passed)) == len(passed) and all(a.alias is None for a in self.workload.arrays)

    @property
    def fixed_mapping(self) -> str | None:
        """Why the launch must keep its shape, or None: settings of single cases, a second launch of the kernel, clusters."""
        if any(o.grid or o.block or o.shared for o in self.candidate.plan.overrides.values()):
            return "a case overrides grid, block or shared memory"
        if sum(launch.entry == self.launch.entry for launch in self.candidate.plan.launches) > 1:
            return f"{self.launch.entry} is launched more than once"
        if self.launch.cluster is not None or self.launch.cooperative:
            return "the launch is a cluster or cooperative one"
        return None

    def counter(self, name: str) -> float | None:
        """A normalised counter, mean over the perf cases; None if unknown."""
        cases = () if self.evaluation is None else self.evaluation.cases
        values = [c.timing.counters[name] for c in cases if c.timing is not None and name in c.timing.counters]
        return sum(values) / len(values) if values else None

    def term_share(self, *names: str) -> float | None:
        """Share of the estimated time that these terms of the cost model take, mean over perf cases; None if unknown."""
        cases = () if self.evaluation is None else self.evaluation.cases
        timings = [c.timing for c in cases if c.timing is not None and c.timing.terms]
        shares = [sum(t.terms.get(n, 0.0) for n in names) / max(sum(t.terms.values()), 1e-12) for t in timings]
        return sum(shares) / len(shares) if shares else None

    def with_source(self, text: str) -> "Subject":
        """The same subject with other source: for moves made of several steps."""
        candidate = replace(self.candidate, source=text)
        return self.with_candidate(candidate)

    def with_candidate(self, candidate: Candidate) -> "Subject":
        """The same launch of another candidate. Raises: CandidateError if the kernel is gone."""
        launch = candidate.plan.launches[self.position]
        kernel = read_kernel(parse_source(candidate.source, candidate.source_name), launch.entry, launch.block)
        return replace(self, candidate=candidate, kernel=kernel)

    def made(
        self,
        source: str,
        *,
        launch: Launch | None = None,
        tunables: Mapping[str, tuple[int, ...]] | None = None,
    ) -> Candidate:
        """A candidate with new source, launch and further (or changed) tunables; points no longer allowed fall away,
        those of single cases, too.
        """
        launches = list(self.candidate.plan.launches)
        launches[self.position] = launch or self.launch
        if launches[self.position].block != self.launch.block:
            source = _rebounded(source, launches[self.position])
        allowed = {**self.candidate.tunables, **(tunables or {})}
        used = _words(source, launches)
        allowed = {name: values for name, values in allowed.items() if name in used}
        overrides = allowed_overrides(self.candidate.plan.overrides, allowed)
        return replace(
            self.candidate,
            source=source,
            plan=replace(self.candidate.plan, launches=tuple(launches), overrides=overrides),
            tunables=MappingProxyType(allowed),
            point=_allowed(self.candidate.point, allowed),
        )

    def fresh_tunable(self, name: str) -> str:
        """A tunable name that neither the source nor the plan uses."""
        taken = {
            *self.candidate.tunables,
            *self.workload.dims,
            *_words(self.candidate.source, self.candidate.plan.launches),
        }
        return next(n for n in (name, *(f"{name}_{i}" for i in range(2, 1000))) if n not in taken)


def subject_of(
    candidate: Candidate, position: int, workload: Workload, gpu: GpuSpec, evaluation: Evaluation | None
) -> Subject:
    """The subject for one launch. Raises: CandidateError if the source has no such kernel."""
    launch = candidate.plan.launches[position]
    kernel = read_kernel(parse_source(candidate.source, candidate.source_name), launch.entry, launch.block)
    return Subject(candidate, position, kernel, workload, gpu, evaluation)


def _rebounded(source: str, launch: Launch) -> str:
    """The source with the kernel's `__launch_bounds__`, if it has them, set to the launch's block."""
    parsed = parse_source(source)
    bounds = next((n for n in parsed.kernel(launch.entry).node.children if n.type == "launch_bounds"), None)
    if bounds is None:
        return source
    threads = " * ".join(f"({size})" for size in launch.block if size != "1") or "1"
    return edited_text(source, [replace_node(bounds.named_children[0], threads)])


def _allowed(point: Mapping[str, int], tunables: Mapping[str, tuple[int, ...]]) -> Mapping[str, int]:
    """What of a point the tunables still allow."""
    return MappingProxyType({name: value for name, value in point.items() if value in tunables.get(name, ())})


def _words(source: str, launches: Sequence[Launch]) -> set[str]:
    """Every name in the source and the launches."""
    words = mentioned_names(parse_source(source).tree.root_node)
    for launch in launches:
        for text in (*launch.grid, *launch.block, launch.shared, *(launch.cluster or ())):
            words |= parse(text).names
    return words
