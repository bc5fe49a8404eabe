"""BLAS leaves half of the cores to the data pipeline, and freed memory stays in the process."""

from __future__ import annotations

import gc
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from types import FrameType

import numpy as np
import pytest

from minispore import Tensor, nn
from minispore.foundation.process import gc_disabled
from minispore.graph import program_of

ASK = "import {first}minispore, os; print(os.environ.get('OPENBLAS_NUM_THREADS'))"


def run_python(first: str = "", **variables: str) -> str:
    reference = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    env = {k: v for k, v in os.environ.items() if k not in reference} | variables
    run = [sys.executable, "-c", ASK.format(first=first)]
    return subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout.strip()


def test_blas_takes_half_of_the_cores() -> None:
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    assert run_python() == str(max(1, cores // 2))


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "MKL_NUM_THREADS"])
def test_user_set_blas_thread_counts_are_not_overridden(name: str) -> None:
    assert run_python(**{name: "3"}) == "None"
    assert run_python(OPENBLAS_NUM_THREADS="3") == "3"


def test_nothing_is_changed_once_numpy_has_started() -> None:
    assert run_python(first="numpy, ") == "None"


FAULTS = """
import resource
import minispore, numpy as np
def step():
    return [np.ones(1 << 20, np.uint8) for _ in range(8)]
step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(**variables: str) -> int:
    run = [sys.executable, "-c", FAULTS]
    process = subprocess.run(
        run, env=os.environ | variables, capture_output=True, text=True, check=True
    )
    return int(process.stdout)


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="mallopt is a function of the C library of Linux"
)
def test_a_step_finds_the_memory_that_the_step_before_freed() -> None:
    tuned_by_the_user = faults(MALLOC_MMAP_THRESHOLD_="65536")
    assert tuned_by_the_user > 20 * 8 * 100  # pages of 4 KiB, fetched anew by each of 20 steps
    assert faults() < 20 * 8 * 10


@pytest.mark.parametrize("collects", [True, False])
def test_gc_disabled_restores_the_collector(collects: bool) -> None:
    try:
        (gc.enable if collects else gc.disable)()
        with gc_disabled(), gc_disabled():
            assert not gc.isenabled()
        assert gc.isenabled() == collects
        with pytest.raises(ValueError, match="no"), gc_disabled():
            raise ValueError("no")
        assert gc.isenabled() == collects
    finally:
        gc.enable()


def test_to_compile_is_such_a_time() -> None:
    layers = nn.SequentialCell(*[nn.Dense(4, 4) for _ in range(200)])
    optimizer = nn.Adam(layers.trainable_params())
    step = nn.TrainOneStepCell(nn.WithLossCell(layers, nn.MSELoss()), optimizer)
    x, searched = Tensor(np.ones((2, 4), np.float32)), []

    def note(phase: str, info: dict[str, int]) -> None:
        names = [frame.f_code.co_name for frame in frames(sys._getframe(1))]
        searched.append("trace" in names)

    def frames(frame: FrameType | None) -> Iterator[FrameType]:
        while frame is not None:
            yield frame
            frame = frame.f_back

    gc.callbacks.append(note)
    try:
        program_of(step, x, x)
    finally:
        gc.callbacks.remove(note)
    assert searched  # once it was compiled
    assert not any(searched)
