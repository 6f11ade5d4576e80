"""The launch of a kernel, read from host code where it can be, else guessed from the kernel's indices."""

from warpwright.candidate.analysis.guard import skeleton_of
from warpwright.candidate.analysis.kernel import AXES, KernelModel
from warpwright.candidate.source import LaunchSite, SourceFile
from warpwright.workload.scaffold.draft import Draft, DraftLaunch
from warpwright.workload.scaffold.host import Host

_BLOCKS = (256, 128, 512, 64, 1024)


def launch_of(draft: Draft, source: SourceFile, kernel: KernelModel, values: dict[str, str]) -> DraftLaunch:
    """Grid, block and shared memory of the kernel. values: scalar parameter -> plan expression."""
    sites = [site for site in source.launches if site.kernel == kernel.function.name]
    for site in sites:
        found = _read(source, kernel, site, values)
        if found is not None:
            draft.notes.append(f"grid and block are those of the launch on line {site.line} of {source.name}")
            return found
    if sites:
        draft.notes.append(
            f"the launch on line {sites[0].line} of {source.name} could not be read as sizes of the workload"
        )
    guess = _guess(kernel, values)
    sizes = f"grid = {', '.join(guess.grid)}; block = {', '.join(guess.block)}"
    draft.guesses.append(f"{sizes}: no launch of the kernel could be read")
    return guess


def _read(source: SourceFile, kernel: KernelModel, site: LaunchSite, values: dict[str, str]) -> DraftLaunch | None:
    names = [p.name for p in kernel.function.parameters]
    known = {a: values[n] for n, a in zip(names, site.arguments, strict=False) if n in values}
    host = Host(source, known)
    grid, block = host.sizes(site.grid), host.sizes(site.block)
    shared = "0" if site.shared is None else host.expression(site.shared)
    if grid is None or block is None or shared is None:
        return None
    return DraftLaunch(grid, block, shared, {}, guessed=False)


def _guess(kernel: KernelModel, values: dict[str, str]) -> DraftLaunch:
    """One thread per index below its bound: blocks of 256, or of 16 x 16 where there are two indices."""
    skeleton = skeleton_of(kernel)
    limits = {} if skeleton is None else skeleton.limits
    host = Host(kernel.source, values)
    spans = []
    for index in (kernel.index(axis) for axis in AXES):
        if index is not None:
            limit = host.expression(limits[index.name]) if index.name in limits else None
            spans.append(limit or "1")
    if len(spans) > 1:
        grid = tuple(f"ceil_div({span}, {size})" for span, size in zip(spans, (16, 16, 1), strict=False))
        return DraftLaunch(grid, ("16", "16"), "0", {}, guessed=True)
    blocks = f"ceil_div({spans[0]}, BLOCK)" if spans else "1"
    return DraftLaunch((blocks,), ("BLOCK",), "0", {"BLOCK": _BLOCKS}, guessed=True)
