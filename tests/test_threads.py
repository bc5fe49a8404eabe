"""BLAS leaves half of the cores to the data pipeline, unless somebody said otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ASK = "import {first}minispore, os; print(os.environ.get('OPENBLAS_NUM_THREADS'))"


def asked(first: str = "", **said: str) -> str:
    known = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    env = {k: v for k, v in os.environ.items() if k not in known} | said
    run = [sys.executable, "-c", ASK.format(first=first)]
    return subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout.strip()


def test_blas_takes_half_of_the_cores() -> None:
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    assert asked() == str(max(1, cores // 2))


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "MKL_NUM_THREADS"])
def test_what_the_user_said_stays(name: str) -> None:
    assert asked(**{name: "3"}) == "None"
    assert asked(OPENBLAS_NUM_THREADS="3") == "3"


def test_nothing_is_changed_once_numpy_has_started() -> None:
    assert asked(first="numpy, ") == "None"
