"""Arenas: buffers are placed where they are free, and programs share memory without harm."""

from __future__ import annotations

import mmap
import os
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import Parameter, Tensor, ops
from minispore.execution.threads.shared_memory import compute_reserved_bytes
from minispore.graph import jit, program_of
from minispore.graph.arena import ALIGN, Buffer, assign_offsets, get_arena

LIVES = st.lists(
    st.builds(
        lambda nbytes, first, length: Buffer(nbytes, first, first + length),
        st.sampled_from([0, 1, 64, 65, 1000]), st.integers(0, 12), st.integers(0, 12),
    ),
    max_size=30,
)  # fmt: skip


def room(b: Buffer) -> int:
    room = compute_reserved_bytes(b.nbytes)
    assert max(1, b.nbytes) <= room < b.nbytes + 2 * ALIGN
    assert room % ALIGN == 0
    return room


@given(LIVES)
def test_each_buffer_has_the_lowest_offset_free_for_its_lifetime(buffers: list[Buffer]) -> None:
    size = assign_offsets(buffers)
    assert size == max((b.offset + room(b) for b in buffers), default=0)
    before: list[Buffer] = []
    for b in sorted(buffers, key=lambda b: (-b.nbytes, b.first)):
        met = [o for o in before if o.first <= b.last and b.first <= o.last]
        free = [
            at
            for at in (0, *(o.offset + room(o) for o in met))
            if all(at + room(b) <= o.offset or o.offset + room(o) <= at for o in met)
        ]
        assert b.offset == min(free)
        before.append(b)


def test_a_ufunc_has_the_same_bits_if_its_arrays_lie_side_by_side_in_an_arena() -> None:
    n = 16 * ALIGN
    buffers = [Buffer(n, 0, 1), Buffer(n, 0, 1)]
    block = np.empty(assign_offsets(buffers) + ALIGN, np.uint8)
    x, y = (block[b.offset : b.offset + n].view(np.float64) for b in buffers)
    x[...] = np.random.default_rng(1).random(x.size)
    for ufunc in (np.exp, np.log, np.expm1, np.log1p, np.sinh, np.arctan):
        assert np.array_equal(ufunc(x, out=y), ufunc(x.copy()))


def test_a_smaller_program_works_where_a_larger_one_does() -> None:
    large = program_of(lambda x: ops.exp(x) * 2.0 + x, Tensor(np.ones(4000, np.float32)))
    small = program_of(lambda x: ops.exp(x) * 3.0 + x, Tensor(np.ones(40, np.float32)))
    assert len(small.plan.arena.memory) <= len(large.plan.arena.memory)
    program = program_of(lambda x: ops.exp(x) * 4.0 + x, Tensor(np.ones(40, np.float32)))
    assert program.plan.arena is small.plan.arena


def test_ever_larger_programs_have_few_arenas() -> None:
    base = 1 << 27  # larger than what other tests hold
    arenas = [get_arena(base + (i << 20)) for i in range(64)]
    assert len(set(arenas)) <= 2


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_an_arena_is_no_larger_than_it_must_be_where_memory_is_short() -> None:
    resource = pytest.importorskip("resource")
    largest = get_arena(1 << 28)
    need = len(largest.memory) + (1 << 20)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (mapped + need + (64 << 20), limits[1]))
    try:
        assert len(get_arena(need).memory) == need
        with pytest.raises(MemoryError, match=r"needs .* MB, which this machine has not"):
            get_arena(2 * need)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def test_what_a_program_hands_out_outlives_the_run_of_another() -> None:
    x = Tensor(np.arange(64, dtype=np.float32))
    one, two = [program_of(lambda x, k=k: ops.exp(x * 0.0) * k, x) for k in (1.0, 2.0)]
    assert one.plan.arena is two.plan.arena
    (first,) = one.run([x.asnumpy()])
    (second,) = two.run([x.asnumpy()])
    assert (first[0], second[0]) == (1.0, 2.0)


def test_an_input_that_is_handed_out_is_not_written_over() -> None:
    program = program_of(lambda x: (x, x.reshape((2, 2)), x + 1.0), Tensor(np.zeros(4, np.float32)))
    for k in (3.0, 4.0):
        outs = program.run([np.full(4, k, np.float32)])
        assert [float(o.ravel()[0]) for o in outs] == [k, k, k + 1.0]


def test_a_program_whose_arena_is_in_use_runs_in_another() -> None:
    f = jit(lambda x: ops.exp(x) * 2.0)
    x = Tensor(np.zeros(8, np.float32))
    program = program_of(f, x)
    with program.plan.arena.lock:  # as another thread would
        assert f(x).asnumpy().tolist() == [2.0] * 8
    assert program.concurrent_copy is not None
    assert program.concurrent_copy.plan.arena is not program.plan.arena
    assert f(x).asnumpy().tolist() == [2.0] * 8


def test_an_observer_sees_the_run_of_a_program_whose_arena_is_in_use() -> None:
    class Observer:
        def __init__(self) -> None:
            self.ops: list[str] = []

        def observe_run(self) -> Observer:
            return self

        def make_calls_around(self, bound: Any) -> None:
            self.ops.append(bound.node.prim.name)

        def end(self) -> None:
            self.ops.append("end")

    f = jit(lambda x: ops.exp(x))
    x = Tensor(np.zeros(8, np.float32))
    program = program_of(f, x)
    observer = Observer()
    program.observers = (observer,)
    with program.plan.arena.lock:  # as another thread would
        f(x)
    assert observer.ops == ["Exp", "end"]


def test_a_parameter_is_one_in_all_places_where_a_program_runs() -> None:
    p = Parameter(Tensor(np.zeros(3, np.float32)), name="p")

    @jit
    def count(x: Tensor) -> Tensor:
        return ops.assign_add(p, x)

    x = Tensor(np.ones(3, np.float32))
    program = program_of(count, x)
    count(x)
    with program.plan.arena.lock:
        count(x)
    count(x)
    assert p.asnumpy().tolist() == [3.0] * 3


def test_concurrent_threads_get_separate_results() -> None:
    fs = [jit(lambda x, k=k: (ops.exp(x * 0.0) * k).sum()) for k in range(4)]
    x = Tensor(np.ones((200, 200), np.float32))
    wrong: list[Any] = []

    def work(k: int) -> None:
        for _ in range(30):
            if float(fs[k](x).asnumpy()) != k * 40_000:
                wrong.append(k)

    for k in range(4):
        program_of(fs[k], x)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
@pytest.mark.parametrize("rows", [8, 2048])  # of a program in small memory, and on huge pages
def test_a_forked_child_that_runs_a_program_writes_into_a_copy(rows: int) -> None:
    f = jit(lambda x: ops.exp(x) @ ops.tanh(x).T + 1.0)
    x = Tensor(np.full((rows, rows), 0.25, np.float32))
    program = program_of(f, x)
    (result,) = program.run([x.asnumpy()])
    arena, was = program.plan.arena.memory, program.plan.arena.memory.copy()
    result_was = result.copy()
    with warnings.catch_warnings():  # later Pythons warn of a fork beside threads
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            # What outlives a run is there, and what does not was not copied.
            message = 1 * (not np.array_equal(result, result_was))
            message += 2 * (sys.platform == "linux" and rows > 1000 and bool(arena.any()))
            program.run([np.full((rows, rows), 0.5, np.float32)])
            os._exit(message + 4 * np.array_equal(result, result_was))  # 4: nothing was computed
        finally:
            os._exit(8)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(arena, was)
    assert np.array_equal(result, result_was)
