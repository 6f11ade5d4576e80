"""From a kernel's C parameters to the parameters of a workload: dtypes, roles, shapes, scalar values."""

from warpwright.candidate.analysis.access import Deed
from warpwright.candidate.analysis.kernel import KernelModel
from warpwright.candidate.source import SourceParameter
from warpwright.errors import WorkloadError
from warpwright.workload.scaffold.draft import Draft, DraftArray, DraftScalar, Field, Question
from warpwright.workload.scaffold.shapes import guess_shape

_DTYPES = {
    "float32": ("float",),
    "float64": ("double",),
    "float16": ("half", "__half"),
    "bfloat16": ("__nv_bfloat16", "nv_bfloat16"),
    "int8": ("char", "signed char", "int8_t"),
    "uint8": ("unsigned char", "uint8_t"),
    "int16": ("short", "short int", "int16_t"),
    "uint16": ("unsigned short", "unsigned short int", "uint16_t"),
    "int32": ("int", "signed int", "int32_t"),
    "uint32": ("unsigned", "unsigned int", "uint32_t"),
    "int64": ("long long", "long long int", "int64_t", "long", "ptrdiff_t"),
    "uint64": ("unsigned long long", "unsigned long long int", "uint64_t", "size_t", "unsigned long"),
    "bool": ("bool",),
}
DTYPE_OF = {name: dtype for dtype, names in _DTYPES.items() for name in names}
"""C type -> dtype; `long` as on Linux."""
_VECTORS = {"float2": ("float32", 2), "float4": ("float32", 4), "double2": ("float64", 2), "int4": ("int32", 4),
            "int2": ("int32", 2), "uint4": ("uint32", 4), "uchar4": ("uint8", 4), "half2": ("float16", 2),
            "__half2": ("float16", 2)}  # fmt: skip
_BYTES = {"float32": 4, "float64": 8, "float16": 2, "int32": 4, "uint32": 4, "uint8": 1}


def scalar_of(draft: Draft, parameter: SourceParameter) -> DraftScalar:
    """A scalar parameter: an integer is taken for a size and becomes a dim of its name, a float needs a number."""
    dtype = DTYPE_OF.get(" ".join(parameter.element.split()))
    if dtype is None:
        raise WorkloadError(
            f"kernel parameter {parameter.text!r}: the type {parameter.element!r} has no dtype; "
            f"known are {', '.join(sorted(DTYPE_OF))}. Structures and template types must become plain parameters."
        )
    if dtype.startswith(("int", "uint")):
        text = f"is the integer {parameter.name} a size? Then it is a dim; else give its number or an expression over dims."
        return DraftScalar(
            parameter.name, dtype, Field(*draft.decide(Question(f"value.{parameter.name}", text, parameter.name)))
        )
    guess = "1" if dtype == "bool" else "0.75"  # not 1, which hides a factor
    question = Question(f"value.{parameter.name}", f"which number does the scalar {parameter.name} get?", guess)
    return DraftScalar(parameter.name, dtype, Field(*draft.decide(question)))


def array_of(draft: Draft, kernel: KernelModel, parameter: SourceParameter, dims: tuple[str, ...]) -> DraftArray:
    """An array parameter: role by what the kernel does with it, shape by its indices and their bounds."""
    element = " ".join(parameter.element.split())
    dtype, width = _VECTORS.get(element, (DTYPE_OF.get(element), 1))
    if dtype is None:
        raise WorkloadError(
            f"kernel parameter {parameter.text!r}: arrays of {parameter.element!r} have no dtype; "
            f"known are {', '.join(sorted([*DTYPE_OF, *_VECTORS]))}."
        )
    role, certain, zeroed = _role(kernel, parameter)
    if not certain:
        text = f"is {parameter.name} read (in), written (out) or both (inout)? The source does not show it."
        role, guessed = draft.decide(Question(f"role.{parameter.name}", text, role))
    else:
        guessed = False
    if zeroed:
        draft.guesses.append(
            f"zeroed.{parameter.name} = true: the kernel adds to it, so it is taken to hold 0 before each launch"
        )
    found = guess_shape(kernel, parameter.name, dims)
    fallback = ", ".join(dims[:1]) or "1"
    text = f"which shape has {parameter.name}, outermost first?"
    shape, shape_guessed = draft.decide(Question(f"shape.{parameter.name}", text, found or fallback))
    if width > 1 and shape_guessed:
        shape = f"{shape}, {width}"
    return DraftArray(
        name=parameter.name,
        role=Field(role, guessed),
        dtype=dtype,
        shape=Field(shape, shape_guessed),
        zeroed=zeroed,
        values=_values(draft, parameter.name, dtype) if role != "out" else None,
        align_bytes=min(16, width * _BYTES[dtype]) if width > 1 else None,
    )


def _role(kernel: KernelModel, parameter: SourceParameter) -> tuple[str, bool, bool]:
    """Role, whether the source shows it, and whether the array must be zero before the launch."""
    if parameter.const:
        return "in", True, False
    deeds = {a.deed for a in kernel.arrays.accesses(kernel.function.body) if a.base == parameter.name}
    if not deeds or Deed.ESCAPE in deeds:
        return "inout", False, False
    if deeds == {Deed.LOAD}:
        return "in", True, False
    if deeds == {Deed.STORE}:
        return "out", True, False
    if deeds == {Deed.ATOMIC}:
        return "out", True, True
    return "inout", True, False


def _values(draft: Draft, name: str, dtype: str) -> Field:
    guess = (
        "normal(0, 1)"
        if dtype.startswith(("float", "bfloat"))
        else "integers(0, 1)"
        if dtype == "bool"
        else "integers(0, 100)"
    )
    text = f"how is the input {name} filled? Indices need a range that stays inside the array they point into."
    return Field(*draft.decide(Question(f"values.{name}", text, guess)))
