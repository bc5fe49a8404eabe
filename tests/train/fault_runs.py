"""Random trainings with a fault in each: ``python -m tests.train.fault_runs [COUNT [SEED]]``.

Each must end with the right exception (or none), without a hang and without a thread left behind,
and a training on a new dataset must work after it.
"""

from __future__ import annotations

import gc
import random
import sys
import threading
import time
import warnings
from typing import Any

import numpy as np

from minispore import context
from minispore.device import faults
from minispore.device.channel import open_channels
from minispore.errors import DeviceError, DeviceMemoryError, GetNextError
from minispore.train import Callback, Model
from tests.train.nets import GRAPH, PYNATIVE, Log, numbers, regression, trainer

KINDS = ("slow", "stops", "raises", "memory", "lost", "callback", "construct")
LIMIT_S = 20.0  # far more than any of the runs needs


class Injected(Exception):
    """What a pipeline, a callback or a network raises here."""


class Raises(Callback):
    def __init__(self, step: int) -> None:
        self.step = step

    def on_train_step_end(self, run_context: Any) -> None:
        if run_context.original_args().cur_step_num >= self.step:
            raise Injected("callback")


class Broken(Log):
    def construct(self, x: Any) -> Any:
        raise Injected("construct")


def one(seed: int) -> str:
    """Run one training; returns what it was. Raises AssertionError if it went wrong."""
    rng = random.Random(seed)
    kind = rng.choice(KINDS)
    mode = rng.choice((GRAPH, PYNATIVE))
    target = rng.choice(("CPU", "GPU", "Ascend"))
    sink = target != "CPU" and rng.random() < 0.7
    size, epoch, sink_size = rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 6)
    steps = epoch * (sink_size if sink else size)
    at = rng.randint(1, steps)
    what = (
        f"seed {seed}: {kind} at {at} of {steps}, {'sink' if sink else 'no sink'}, {mode} {target}"
    )
    limit_s = 0.05 if kind == "slow" else LIMIT_S  # a busy machine is no fault
    context.set_context(mode=mode, device_target=target, op_timeout=limit_s)
    threads = set(threading.enumerate())
    start = time.monotonic()
    callbacks = [Raises(at)] if kind == "callback" else []
    net = Broken(1) if kind == "construct" else Log(1)
    injection, expected = _fault(kind, at, sink, steps)
    got: BaseException | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with injection:
            try:
                Model(net).train(
                    epoch, numbers(size), callbacks, dataset_sink_mode=sink, sink_size=sink_size
                )
            except Exception as exc:
                got = exc
    assert time.monotonic() - start < LIMIT_S, f"{what}: too slow"
    assert (got is None) == (expected is None), f"{what}: got {got!r}"
    if expected is not None:
        assert isinstance(got, expected), f"{what}: got {got!r}"
    if kind == "raises" and sink:
        assert got is not None and isinstance(got.__cause__, Injected), f"{what}: no cause"
    if kind in ("memory", "lost"):
        assert int(net.calls.asnumpy()) == at - 1, what
    _no_traces(what, threads)
    context.set_context(op_timeout=900)
    model = trainer()
    before = model.predict_network.weight.asnumpy()
    model.train(1, regression(2), dataset_sink_mode=sink)
    assert not np.array_equal(before, model.predict_network.weight.asnumpy()), what
    _no_traces(what, threads)
    return what


def _fault(kind: str, at: int, sink: bool, steps: int) -> Any:
    """The context manager of the fault, and the exception that must come of it."""
    if kind == "slow":
        return faults.slow_batch(at, 0.3 if sink else 0.01), GetNextError if sink else None
    if kind == "stops":
        stops = at - 1
        return faults.producer_stops(stops), GetNextError if sink else None
    if kind == "raises":
        return faults.producer_raises(at, Injected("row")), GetNextError if sink else Injected
    if kind == "memory":
        return faults.out_of_memory(at), DeviceMemoryError
    if kind == "lost":
        return faults.device_lost(at), DeviceError
    return faults.inject(faults.Fault()), Injected


def _no_traces(what: str, threads: set[threading.Thread]) -> None:
    gc.collect()
    end = time.monotonic() + 3
    left = set(threading.enumerate()) - threads
    for thread in left:
        thread.join(max(0.0, end - time.monotonic()))
    left = {t for t in left if t.is_alive()}
    assert not left, f"{what}: threads left: {sorted(t.name for t in left)}"
    assert not open_channels(), f"{what}: channels left"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    saved = context.current()
    for seed in range(first, first + count):
        print(one(seed), flush=True)
    context.restore(saved)
    print(f"{count} runs, all ended as they must")


if __name__ == "__main__":
    main()
