"""The CPU that code is generated for, as far as the text depends on it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HostCpu:
    """A CPU. features as LLVM spells them: `+avx2,-avx512f`. has_f16c: it converts binary16 itself."""

    name: str
    features: str
    has_f16c: bool
    has_masked_stores: bool
    """AVX-512 with byte and word lanes: a masked store is one instruction."""
    vector_bits: int

    @property
    def attributes(self) -> str:
        """Attributes of every generated function: full vector width where the CPU has it."""
        bits = self.vector_bits
        return f'nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}"'
