"""Tensors over memory that other objects own."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms


def test_what_is_written_into_the_buffer_shows_in_the_tensor() -> None:
    memory = bytearray(np.arange(4, dtype=np.float32).tobytes())
    output = ms.frombuffer(memory, dtype=ms.float32, offset=4)
    assert output.asnumpy().tolist() == [1, 2, 3]
    memory[4:8] = np.float32(9).tobytes()
    assert output.asnumpy().tolist() == [9, 2, 3]


def test_bytes_are_copied() -> None:
    output = ms.frombuffer(b"\x01\x02\x03", dtype=ms.uint8, count=2)
    assert output.asnumpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    ("buffer", "value", "match"),
    [
        (bytearray(16), {"dtype": ms.int32, "count": 9}, "count must be at most 4, got 9"),
        (bytearray(16), {"dtype": ms.float64, "offset": 4}, "offset must leave whole elements"),
        (bytearray(16), {"dtype": ms.int8, "offset": 16}, r"offset must be in \[0, 16\)"),
        (bytearray(), {"dtype": ms.int8}, "count must be -1, or above 0"),
        (bytearray(4), {"dtype": np.float32}, "dtype must be a data type of MindSpore's"),
        (3, {"dtype": ms.int8}, "buffer must have memory that can be shared"),
    ],
)
def test_memory_that_does_not_fit_is_refused(buffer: object, value: dict, match: str) -> None:
    with pytest.raises(RuntimeError, match=match):
        ms.frombuffer(buffer, **value)
