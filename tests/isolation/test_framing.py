import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.isolation.framing import FramingError, read_header, read_into, write_message

JSON = st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=20) | st.none(), max_size=4)


def read_back(stream: io.BytesIO) -> tuple[object, list[bytes]]:
    header = read_header(stream)
    assert header is not None
    buffers = [bytearray(size) for size in header.sizes_bytes]
    for buffer in buffers:
        read_into(stream, memoryview(buffer))
    return header.body, [bytes(buffer) for buffer in buffers]


@given(JSON, st.lists(st.binary(max_size=300), max_size=4))
def test_a_message_comes_out_as_it_went_in(body: dict[str, object], buffers: list[bytes]) -> None:
    stream = io.BytesIO()
    write_message(stream, body, buffers)
    stream.seek(0)
    assert read_back(stream) == (body, buffers)
    assert read_header(stream) is None


def test_arrays_travel_as_their_bytes() -> None:
    stream = io.BytesIO()
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    write_message(stream, {}, [array, np.empty((0, 3), np.int64)])
    stream.seek(0)
    assert read_back(stream)[1] == [array.tobytes(), b""]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"WWF1\x05", "the stream ended within a message"),
        (b"printed by a library", "not a message: it begins with b'printed '"),
        (b"WWF1\x05\0\0\0{}", "the stream ended 3 bytes early"),
        (b"WWF1\x02\0\0\0{}", "not a message: 'body'"),
        (b"WWF1\x02\0\0\0]]", "not a message: Expecting value: line 1 column 1 (char 0)"),
    ],
    ids=["short prefix", "foreign bytes", "short header", "no body", "no JSON"],
)
def test_anything_else_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(FramingError) as refused:
        read_header(io.BytesIO(content))
    assert str(refused.value) == message
