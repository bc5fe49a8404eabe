"""What crosses to worker processes and back, and what is said of one that ended."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest

from minispore.dataset.pipeline import wire, workers
from minispore.dataset.pipeline.block import Failure

BFLOAT16 = pytest.importorskip("ml_dtypes").bfloat16


@pytest.fixture
def pipe() -> Iterator[tuple[Connection, Connection]]:
    ends = multiprocessing.Pipe()
    yield ends
    for end in ends:
        end.close()


def through(pipe: tuple[Connection, Connection], nbytes: int, *columns: Any) -> list[Any]:
    """The columns on the other side of a shared memory of so many bytes."""
    memory = memoryview(bytearray(nbytes))
    wire.send(pipe[0], memory, list(columns), said="extra")
    received, extra = wire.receive(pipe[1], memory)
    assert extra == {"arrays": extra["arrays"], "inline": extra["inline"], "said": "extra"}
    return received


ARRAYS = [
    np.arange(6, dtype=np.int16).reshape(2, 3),
    np.array(2.5),
    np.zeros((0, 3), np.float32),
    np.array(["a", "bcd"]),
    np.array([b"xy"]),
    np.arange(12).reshape(3, 4).T[::2],
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.ones(3, BFLOAT16),
    np.array(["", ""]),
    np.array(b""),
]


@pytest.mark.parametrize("nbytes", [0, 64, 10_000])
@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}{list(a.shape)}")
def test_an_array_arrives_as_it_was(pipe, nbytes: int, array: np.ndarray) -> None:
    (output,) = through(pipe, nbytes, array)
    assert (output.dtype.kind, output.shape) == (array.dtype.kind, array.shape)
    assert output.tolist() == array.tolist()
    assert output.dtype == array.dtype or array.dtype.kind in "US"


@pytest.mark.parametrize("nbytes", [0, 10_000])
def test_several_columns_arrive_in_their_order(pipe, nbytes: int) -> None:
    output = through(pipe, nbytes, *ARRAYS[:6])
    assert [m.tolist() for m in output] == [a.tolist() for a in ARRAYS[:6]]


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, 2.5, "text", b"", b"bytes", [1, [2]], (1, (2, None)), (b"a", b"bc"),
        {"a": [1, {"b": (b"c",)}], 7: "number", (1, 2): None},
    ],
)  # fmt: skip
def test_a_value_of_python_arrives_as_it_was(pipe, value: Any) -> None:
    (output,) = through(pipe, 1000, value)
    assert output == value and type(output) is type(value)


@pytest.mark.parametrize(("nbytes", "inline"), [(128, False), (127, True), (129, False)])
def test_what_the_shared_memory_can_not_hold_goes_through_the_pipe(pipe, nbytes, inline) -> None:
    memory = memoryview(bytearray(nbytes))
    wire.send(pipe[0], memory, [np.ones(1, np.uint8), np.full(64, 2, np.uint8)])
    columns, extra = wire.receive(pipe[1], memory)
    assert extra["inline"] is inline
    assert [start for *_, start in extra["arrays"]] == [0, 64]
    assert [c.sum() for c in columns] == [1, 128]
    assert any(memory) != inline


def test_what_arrived_is_a_copy(pipe) -> None:
    memory = memoryview(bytearray(100))
    wire.send(pipe[0], memory, [np.ones(4)])
    (output,), _ = wire.receive(pipe[1], memory)
    memory[:32] = bytes(32)
    assert output.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("value", [np.array([object()]), np.array([None, 1]), object(), {1}, 1j])
def test_what_has_no_bytes_is_refused(pipe, value: Any) -> None:
    with pytest.raises(TypeError, match="a row must hold"):
        wire.send(pipe[0], memoryview(bytearray(9)), [value])


# -- of processes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (None, "stopped answering"),
        (-9, "was killed by SIGKILL"),
        (0, "ended with status 0"),
        (3, "ended with status 3"),
    ],
)
def test_the_exit_of_a_process_is_described(code: int | None, message: str) -> None:
    assert workers._describe_exit(code) == message


def rebuilt(cause: Exception) -> Failure:
    return workers._failure_from_dict(workers._failure_to_dict(Failure("map", 4, cause)))


def test_a_failure_comes_back_with_its_row_and_its_traceback() -> None:
    try:
        int("x")
    except ValueError as exc:
        output = rebuilt(exc)
    assert (output.operation, output.row, type(output.cause)) == ("map", 4, ValueError)
    assert str(output.cause) == "invalid literal for int() with base 10: 'x'"
    assert 'int("x")' in str(output.cause.__cause__)
    assert str(output.cause.__cause__).startswith("\nTraceback")


class CustomError(Exception):
    pass


def test_a_custom_or_multi_argument_exception_arrives_as_runtime_error() -> None:
    assert repr(rebuilt(CustomError("no")).cause) == "RuntimeError('CustomError: no')"
    exc = UnicodeDecodeError("utf-8", b"x", 0, 1, "bad")  # it wants more than its text
    assert repr(rebuilt(exc).cause).startswith('RuntimeError("UnicodeDecodeError: ')


class print(Exception):
    """Has the name of a built-in that is no exception."""


def test_a_built_in_that_is_no_exception_is_none() -> None:
    assert str(rebuilt(print("no")).cause) == "print: no"


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_a_process_stopped_by_a_signal_is_detected() -> None:
    process = multiprocessing.get_context("spawn").Process(target=signal.pause, daemon=True)
    process.start()
    try:
        assert not workers._is_stopped(process.pid)
        os.kill(process.pid, signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        assert workers._is_stopped(process.pid)
    finally:
        process.kill()
        process.join()
    assert not workers._is_stopped(process.pid) and not workers._is_stopped(None)


def test_functions_are_inherited_where_they_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["fork", "spawn"])
    for platform, method in (("linux", "fork"), ("darwin", None)):
        monkeypatch.setattr(sys, "platform", platform)
        assert (workers.choose_start_method("fork"), workers.choose_start_method("spawn")) == (
            method,
            "spawn",
        )
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    assert workers.choose_start_method("fork") is None
