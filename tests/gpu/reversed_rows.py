"""A workload that launches of every kind can compute: each row of 512 elements is reversed in place."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.schema import KernelTable
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload

WORKLOAD = """
name = "reversed_rows"
[dims]
rows = "1..4096"
[[params]]
name = "v"
role = "inout"
dtype = "float32"
shape = ["rows", "512"]
values = "normal(0, 1)"
[[params]]
name = "rows"
dtype = "int32"
value = "rows"
[kernel]
entry = "reversed"
grid = ["rows"]
block = ["256"]
[[cases]]
name = "one"
kind = "check"
dims = { rows = 1 }
[[cases]]
name = "odd"
kind = "check"
dims = { rows = 7 }
[[cases]]
name = "timed"
kind = "perf"
dims = { rows = 64 }
"""
REFERENCE = "def reference(v):\n    return {'v': v[:, ::-1]}\n"

PLAIN = """
extern "C" __global__ void reversed(float* v, int rows) {
    float* row = v + 512LL * blockIdx.x;
    float low = row[threadIdx.x], high = row[511 - threadIdx.x];
    row[threadIdx.x] = high;
    row[511 - threadIdx.x] = low;
}
"""

THREE_DIMENSIONS = """
extern "C" __global__ void reversed(float* v, int rows) {
    int t = threadIdx.x + 16 * (threadIdx.y + 4 * threadIdx.z) + 128 * (blockIdx.x + 2 * blockIdx.y);
    float* row = v + 512LL * blockIdx.z;
    if (t >= 256) return;
    float low = row[t], high = row[511 - t];
    row[t] = high;
    row[511 - t] = low;
}
"""
"""A row has 2 x 2 blocks of 16 x 4 x 2 threads; half of them have work."""

CLUSTER = """
extern "C" __global__ void ATTRIBUTE reversed(float* v, int rows) {
    extern __shared__ float stage[];
    unsigned bytes, rank, size, there;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    int width = blockDim.x, t = threadIdx.x;
    float* held = stage + bytes / 4 - width;
    float* mine = v + (long long)width * (blockIdx.x * gridDim.y + blockIdx.y) + t;
    held[t] = *mine;
    asm volatile("barrier.cluster.arrive.aligned;\\n\\tbarrier.cluster.wait.aligned;" ::: "memory");
    unsigned here = (unsigned)__cvta_generic_to_shared(held + width - 1 - t);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(size - 1 - rank));
    float got;
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(got) : "r"(there) : "memory");
    *mine = got;
    asm volatile("barrier.cluster.arrive.aligned;\\n\\tbarrier.cluster.wait.aligned;" ::: "memory");
}
"""
"""A cluster has a row; its first block takes what the last one holds. The second barrier: nobody leaves whose shared memory
is still read. What is held lies at the end of the dynamic shared memory."""

COOPERATIVE = """
extern "C" __global__ void clear(unsigned* arrived) { *arrived = 0; }

extern "C" __global__ void reversed(float* v, int rows, unsigned* arrived) {
    int half = blockIdx.x % 2, t = threadIdx.x;
    float* row = v + 512LL * (blockIdx.x / 2);
    float mine = row[511 - 256 * half - t];
    __syncthreads();
    if (t == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned*)arrived < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    row[256 * half + t] = mine;
}
"""
"""Two blocks have a row, and each writes what the other reads: not before all blocks of the grid have read."""

STAGED = """
extern "C" __global__ void reversed(float* v, int rows) {
    extern __shared__ float stage[];
    unsigned bytes;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    float* held = stage + bytes / 4 - 512;
    float* row = v + 512LL * blockIdx.x;
    for (int i = threadIdx.x; i < 512; i += blockDim.x) held[i] = row[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) row[i] = held[511 - i];
}
"""
"""By way of the last 2 KiB of the dynamic shared memory."""

STATIC_TOO = """
extern "C" __global__ void reversed(float* v, int rows) {
    __shared__ float first[512];
    extern __shared__ float stage[];
    float* row = v + 512LL * blockIdx.x;
    for (int i = threadIdx.x; i < 512; i += blockDim.x) first[i] = row[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) stage[i] = first[511 - i];
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) row[i] = stage[i];
}
"""
"""2 KiB of static shared memory beside the dynamic."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A source and the `[kernel]` table of its launches; what the table leaves out is as in the workload."""

    source: str
    table: Mapping[str, object] = field(default_factory=dict)

    def candidate(self, workload: Workload) -> Candidate:
        """It as a candidate."""
        usual = {} if "launches" in self.table else {"entry": "reversed", "grid": ["rows"], "block": ["256"]}
        table = KernelTable.model_validate({**usual, **self.table})
        return replace(workload.initial, source=self.source, plan=table.plan())


def cluster(size: int, shared: str = "", *, in_source: str = "", **table: object) -> Kernel:
    """A row for each cluster of `size` blocks. shared: dynamic shared memory. in_source: attribute of the kernel."""
    width = 512 // size
    launch = {"grid": [f"{size} * rows"], "block": [str(width)], "shared": shared or str(4 * width)}
    named = {} if in_source else {"cluster": [str(size)]}
    return Kernel(CLUSTER.replace("ATTRIBUTE ", f"{in_source} " if in_source else ""), {**launch, **named, **table})


def cooperative(blocks: str = "2 * rows") -> Kernel:
    """A grid of that many blocks that wait for each other, behind a launch that makes their counter."""
    launches = [
        {"entry": "clear", "grid": ["1"], "block": ["1"], "args": ["arrived"]},
        {"entry": "reversed", "grid": [blocks], "block": ["256"], "cooperative": True},
    ]
    return Kernel(
        COOPERATIVE, {"launches": launches, "scratch": [{"name": "arrived", "dtype": "uint32", "shape": ["1"]}]}
    )


def write_reversed_rows(directory: Path) -> Workload:
    """The workload, in a directory of its own."""
    directory.mkdir(parents=True)
    for name, text in (("workload.toml", WORKLOAD), ("kernel.cu", PLAIN), ("reference.py", REFERENCE)):
        (directory / name).write_text(text, encoding="utf-8")
    return load_workload(directory)
