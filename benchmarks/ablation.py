"""What each mechanism for speed gives: the networks and single ops with one of them switched off.

A switch replaces functions of the package for the time of a turn; the package has no settings for
this. A mechanism is timed only where its switch changes what a step does: other calls on arrays of
other shapes in the program, or other Python functions called while the step runs.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import BLAS, Side, describe_machine
from benchmarks.suite.single_ops import SHAPES
from benchmarks.suite.switches import (
    GRAPHS,
    KERNELS,
    OP_BY_OP,
    SEVERAL_THREADS,
    SWITCHES,
    TILES_OP_BY_OP,
)
from benchmarks.suite.work import WORK

MODES = "GRAPH", "PYNATIVE"
_WARM_UP = 4  # op by op, plans are made in the first step and bound in the third


@contextlib.contextmanager
def switch_off(mechanism: str | None) -> Iterator[None]:
    """Replace the functions of a mechanism, wherever a module has imported them, in the block."""
    _clear_decisions(mechanism)
    undo: list[tuple[Any, str, Any]] = []
    for path, replace in SWITCHES[mechanism].items():
        owner, name = _resolve_path(f"minispore.{path}")
        old = getattr(owner, name)
        new = replace(old)
        is_imported = owner in sys.modules.values() and (callable(old) or isinstance(old, tuple))
        modules = [m for n, m in list(sys.modules.items()) if n.startswith("minispore")]
        for holder in modules if is_imported else [owner]:
            for key in [k for k, v in vars(holder).items() if v is old] if is_imported else [name]:
                undo.append((holder, key, old))
                setattr(holder, key, new)
    try:
        yield
    finally:
        for holder, key, old in undo:
            setattr(holder, key, old)


def _resolve_path(path: str) -> tuple[Any, str]:
    """Return the module, class or object that holds the last name of ``path``, and that name."""
    names = path.split(".")
    end = len(names)
    while True:
        end -= 1
        with contextlib.suppress(ModuleNotFoundError):
            owner: Any = importlib.import_module(".".join(names[:end]))
            break
    for name in names[end:-1]:
        owner = getattr(owner, name)
    return owner, names[-1]


def _clear_decisions(mechanism: str | None) -> None:
    """Clear what other turns have decided, and end the worker processes that know their steps."""
    from minispore import context
    from minispore.core import interpreter
    from minispore.execution.kernels import plans, steps
    from minispore.execution.threads import worker_processes
    from minispore.ops.steps import lowering

    worker_processes.end_workers()
    steps._on_context_change(context.current(), context.current())
    lowering.choose_lowering.cache_clear()
    state = interpreter._local.state
    state.plans = _plan_caches.setdefault(mechanism, plans.KernelPlanCache())


_plan_caches: dict[str | None, Any] = {}


def _make_step(work: str, mode: str) -> Callable[[], Any]:
    """Return a function that runs one step of a network or of a single op."""
    import minispore as ms
    from benchmarks.suite import mindspore_nets, single_ops

    graph_mode = ms.GRAPH_MODE if mode == "GRAPH" else ms.PYNATIVE_MODE
    ms.set_context(mode=graph_mode, device_target="CPU")
    if work in SHAPES:
        return single_ops.minispore_op(work, mode)[0]
    name, _, dtype = work.partition(" ")
    step, inputs = mindspore_nets.make_train_step(ms, name)
    if dtype:
        step.to_float(getattr(ms, dtype))
    return lambda: step(*inputs)


def _describe_call(call: Any) -> Any:
    """Return the function of a bound call with the layouts of its arrays."""
    if hasattr(call, "tiles"):
        return type(call).__name__, [[_describe_call(c) for c in tile] for tile in call.tiles]
    arguments = [*getattr(call, "args", ()), *getattr(call, "keywords", {}).values()]
    layouts = [(a.shape, a.strides) for a in arguments if isinstance(a, np.ndarray)]
    return getattr(getattr(call, "func", call), "__name__", type(call).__name__), layouts


def _describe_step(step: Callable[[], Any]) -> str:
    """Describe a step: the functions that it calls, and the calls of the programs that it runs."""
    from minispore.graph.program import Program

    called: Counter[str] = Counter()
    programs: list[Program] = []

    def count_call(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            called[f"{frame.f_code.co_filename}:{frame.f_code.co_qualname}"] += 1
            if frame.f_code is Program._run_locked.__code__:
                programs.append(frame.f_locals["self"])
        elif event == "c_call":
            called[argument.__qualname__] += 1

    sys.setprofile(count_call)
    try:
        step()
    finally:
        sys.setprofile(None)
    calls = [
        [p.plan.arena_bytes, *map(_describe_call, (*p._steps, *p._tiled_steps))] for p in programs
    ]
    ours = {k: n for k, n in called.items() if "ablation.py" not in k and "threading" not in k}
    return repr((sorted(ours.items()), calls))


def ablate(
    work: str,
    mode: str,
    rounds: int,
    seconds: float,
    threads: int,
    mechanisms: list[str] | None = None,
) -> tuple[None, str]:
    """Return as JSON how many times as long a step takes without each mechanism that it uses."""
    import minispore as ms

    ms.set_context(runtime_num_threads=threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    is_graph = mode == "GRAPH"
    if threads == 1:
        switches = [*KERNELS, *(GRAPHS if is_graph else OP_BY_OP)]
        warm_up = 1 if is_graph else _WARM_UP
    else:
        switches = [*(SEVERAL_THREADS if is_graph else TILES_OP_BY_OP)]
        warm_up = 20 if is_graph else _WARM_UP  # the tuner tries both ways first
    if mechanisms:
        switches = [m for m in switches if m in mechanisms]
    steps, descriptions = {}, {}
    for mechanism in (None, *switches):
        with switch_off(mechanism):
            # A program keeps what was switched off when it was compiled.
            step = _make_step(work, mode) if is_graph or not steps else steps[None]
            for _ in range(warm_up):
                step()
            steps[mechanism], descriptions[mechanism] = step, _describe_step(step)
    count = 1

    def measure(mechanism: str | None) -> float:
        step = steps[mechanism]
        with switch_off(mechanism):
            for _ in range(5 if threads > 1 else 2 - is_graph):
                step()
            start = clock()
            for _ in range(count):
                step()
            return clock() - start

    count = max(1, int(seconds / max(1e-5, measure(None))))
    ratios: dict[str, list[float]] = {
        m: [] for m in steps if m and descriptions[m] != descriptions[None]
    }
    for turn in range(rounds):
        for mechanism, times in ratios.items():
            sides = (None, mechanism) if turn % 2 == 0 else (mechanism, None)
            spent = {side: measure(side) for side in sides}
            times.append(spent[mechanism] / spent[None])
    return None, json.dumps({m: statistics.median(times) for m, times in ratios.items()})


def main(argv: list[str]) -> None:
    """Print for each mechanism its geometric means over the networks, and its largest gains."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks ablation",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    extra = ["mlp float16", "resnet20 float16"]
    every = [*WORK, *extra, *SHAPES]
    parser.add_argument("--work", nargs="+", default=every, choices=every)
    parser.add_argument("--without", nargs="+", metavar="MECHANISM", choices=[*SWITCHES][1:])
    parser.add_argument("--mode", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--blas", default="native", choices=BLAS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.04, help="aimed at for each turn")
    args = parser.parse_args(argv)
    print(f"on {describe_machine(args.blas)}, {args.threads} threads, BLAS {args.blas}", flush=True)
    ratios: dict[tuple[str, str], dict[str, float]] = {}
    for mode in args.mode:
        for work in args.work:
            options = {
                "work": work, "mode": mode, "rounds": args.rounds, "seconds": args.seconds,
                "threads": args.threads, "mechanisms": args.without,
            }  # fmt: skip
            path = Path(__file__)
            with Side(work, path, "ablate", threads=1, blas=args.blas, options=options) as side:
                side.prepare()
                work_ratios = json.loads(side.about)
            for mechanism, ratio in work_ratios.items():
                ratios.setdefault((mechanism, mode), {})[work] = ratio
            print(mode, work, {m: round(r, 3) for m, r in work_ratios.items()}, flush=True)
    print(f"\n{'without':34}{'mode':10}{'mean':>6}{'used':>6}  largest in networks | in ops")
    for (mechanism, mode), by_work in sorted(ratios.items()):
        networks = {w: r for w, r in by_work.items() if w in WORK}
        mean = math.exp(sum(map(math.log, networks.values())) / len(WORK))
        used = f"{len(networks)}"
        tops = [
            ", ".join(
                f"{w} {r:.2f}" for r, w in sorted(((r, w) for w, r in group), reverse=True)[:3]
            )
            for group in (networks.items(), [i for i in by_work.items() if i[0] not in WORK])
        ]
        print(f"{mechanism:34}{mode:10}{mean:6.3f}{used:>6}  {tops[0]} | {tops[1]}")
