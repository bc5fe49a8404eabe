"""What every test stands on: hypothesis profiles, a seal around the globals, the shared folder."""

from __future__ import annotations

import gc
import os
import random
import signal
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from tqdm import tqdm

import minispore as ms
from minispore import context
from minispore.context import parallel
from minispore.core import interpreter
from minispore.core.tensor import Tensor
from minispore.dataset import config as dataset_config
from minispore.device.channel import open_channels
from minispore.execution import random as core_random

ROOT = Path(__file__).resolve().parent.parent

tqdm.monitor_interval = 0  # a progress bar's monitor is a thread that never ends

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job ignores Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline anywhere: a test must not time itself, and hypothesis would.
settings.register_profile("dev", max_examples=20, deadline=None)
settings.register_profile("ci", max_examples=60, deadline=None, derandomize=True, database=None)
settings.register_profile("deep", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


@pytest.fixture(autouse=True)
def seal() -> Iterator[None]:
    """Every global is after a test what it was before it."""
    with _sealed():
        yield


@pytest.fixture(autouse=True, scope="module")
def module_seal() -> Iterator[None]:
    """The same for what a module's own fixtures do."""
    with _sealed():
        yield


@contextmanager
def _sealed() -> Iterator[None]:
    """Put back what may be set (context, settings, random states); fail for what can only leak.

    That is threads, channels, tapes, an interpreter.
    """
    # Python's and NumPy's own generators too: users' code draws from them, and so do tests.
    python_state, numpy_state = random.getstate(), np.random.get_state()  # noqa: NPY002
    stream = core_random.get_state()
    context_record, parallel_record = context.current(), parallel.current()
    dataset_record = dataset_config.settings()
    thread = _state_of_thread()
    threads, channels = set(threading.enumerate()), {c.name for c in open_channels()}
    methods = dict(vars(Tensor))
    yield
    changed = [name for name, of in methods.items() if vars(Tensor).get(name) is not of]
    assert not changed, f"the test left other methods at Tensor: {changed}"
    random.setstate(python_state)
    np.random.set_state(numpy_state)  # noqa: NPY002
    core_random.set_state(stream)
    context.restore(context_record)
    dataset_config.restore(dataset_record)
    parallel.reset_auto_parallel_context()
    parallel.restore(parallel_record)
    left = {k: v for k, v in _state_of_thread().items() if v != thread[k]}
    assert not left, f"the test left this at its thread: {left}"
    if any(c.name not in channels for c in open_channels()):
        gc.collect()  # a channel closes with its last holder, which a cycle may keep for a while
    assert {c.name for c in open_channels()} <= channels, "the test left channels open"
    leaked = _still_alive(set(threading.enumerate()) - threads)
    assert not leaked, f"the test left threads behind: {sorted(t.name for t in leaked)}"


def _state_of_thread() -> dict[str, object]:
    """What this thread is in: an interpreter, tapes, Cells, a derivative. Not what it remembers."""
    state = interpreter.state()
    return {n: getattr(state, n) for n in state.__slots__ if n not in ("forwards", "plans")}


def _still_alive(threads: set[threading.Thread], seconds: float = 2.0) -> set[threading.Thread]:
    """The threads that do not end by themselves within ``seconds``."""
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return {t for t in threads if t.is_alive()}


# Why a test may be left out where everything that a machine can have is there.
UNMET = (
    "set MINISPORE_MINDSPORE_PYTHON",  # the real MindSpore, in an environment of its own
    "set MINISPORE_MSPROF_ANALYZE",  # MindStudio's reader of profiles, likewise
    "make wasm installs the interpreter",  # make wasm-page runs these tests
    "no shared folder",
    "the program imports",  # of the guides, some need what is theirs alone
    "no browser",  # Chromium comes with the system, where its packages can be had
    "POSIX",
    "needs /proc",
    "functions can't be inherited here",
    "signals of this kind",
    "of the C library of Linux",
    "there a bare np.ndarray is no complete type",  # on NumPy 1.26
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In continuous integration a skip needs a reason that the machine can't meet."""
    report = yield
    if report.skipped and os.environ.get("CI") and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
        if not any(unmet in reason for unmet in UNMET):
            report.outcome = "failed"
            report.longrepr = f"{reason}\nThe test extra must bring what this test needs."
    return report


@pytest.fixture
def op_by_op() -> Iterator[None]:
    """PYNATIVE_MODE, whatever a test's module has set."""
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.PYNATIVE_MODE)
    yield
    ms.set_context(mode=mode)


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder with the real MNIST and the acceptance programs, or a skip.

    It is ``MINISPORE_SHARED`` where that is set, else the folder ``shared`` beside the repository.
    """
    folder = Path(os.environ.get("MINISPORE_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip("no shared folder: set MINISPORE_SHARED")
    return folder
