"""``python -m minispore check script.py``: run it shortly, say what the real one would do."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback
import warnings
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack, redirect_stdout

from minispore import context
from minispore.check.cut import Trainings, cut_short
from minispore.check.finding import Report, report
from minispore.check.fits import fitting
from minispore.check.host import Host
from minispore.check.numerics import Numerics, numbers
from minispore.check.page import page
from minispore.check.rule import COMPILES, FITS, NUMERICS, SAME, SINKS
from minispore.check.sinks import sinking
from minispore.check.versions import VERSIONS
from minispore.check.watch import Watch
from minispore.device.model.spec import device_spec
from minispore.errors import DeviceMemoryError
from minispore.graph.state.outside import PACKAGE
from minispore.train.files.async_saving import wait_for_saves

CLEAN, FINDINGS, FAILED = 0, 1, 2


def main(arguments: list[str], take_over: Callable[[list[str]], None]) -> int:
    """Check the script that ``arguments`` name.

    Args:
        arguments: what stands after ``check``.
        take_over: makes this process look as if the script had been started directly.

    Returns:
        The exit status: 0 clean, 1 findings, 2 the script failed.
    """
    options = _options(arguments)
    take_over([options.script, *options.arguments])
    sys.path[0] = os.path.dirname(os.path.realpath(options.script))
    before = context.current()
    try:
        found, failed = _watched(options)
    finally:
        context.restore(before)
    if not options.strict:
        found = found.without_strict()
    if options.html:
        with open(options.html, "w", encoding="utf-8") as file:
            file.write(page(found))
    print(found.json() if options.json else found.text(colour=sys.stdout.isatty()))
    return FAILED if failed else FINDINGS if found.findings else CLEAN


def _options(arguments: list[str]) -> Namespace:
    parser = argparse.ArgumentParser(prog="python -m minispore check", description=__doc__)
    add = parser.add_argument
    add("--device", default="Ascend910", help="where it shall run: Ascend910B2, ... (Ascend910)")
    add("--ranks", type=int, default=1, metavar="N", help="how many devices train together (1)")
    add("--amp", default="", choices=["O1", "O2", "O3", "auto"],
        help="train in mixed precision where the script does not")  # fmt: skip
    add("--mindspore", default=VERSIONS[-1], choices=VERSIONS, metavar="VERSION",
        help=f"whose names count: {', '.join(VERSIONS)} ({VERSIONS[-1]})")  # fmt: skip
    add("--steps", type=int, default=3, help="steps of each training (3)")
    add("--json", action="store_true", help="the report as JSON")
    add("--html", metavar="FILE", help="write it as a page, too")
    add("--strict", action="store_true", help="what STRICT refuses counts, too")
    add("script")
    add("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    for name in ("steps", "ranks"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be from 1, got {getattr(options, name)}")
    if not os.path.exists(options.script):
        parser.error(f"can't open file {os.path.abspath(options.script)!r}")
    try:
        options.device = device_spec(options.device)
    except ValueError as exc:
        parser.error(f"--device: {exc}")
    return options


def _watched(options: Namespace) -> tuple[Report, bool]:
    """What was found in a run of the script, and whether that failed."""
    watch, host, numerics, trainings = Watch(), Host(), Numerics(), Trainings()
    failed = False
    with ExitStack() as around:
        around.enter_context(cut_short(trainings, options.steps, options.device, options.amp))
        around.enter_context(watch.watching())
        around.enter_context(host.watching())
        around.enter_context(numerics.watching())
        around.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", message="GRAPH_MODE: .* runs op by op")
        if options.json:  # which is all that goes to the standard output
            around.enter_context(redirect_stdout(sys.stderr))
        try:
            try:
                runpy.run_path(options.script, run_name="__main__")
            finally:
                wait_for_saves()  # which write into the scratch folder
        except SystemExit as end:
            failed = end.code not in (None, 0)
        except DeviceMemoryError as exc:  # which is told of below, or here
            print(exc, file=sys.stderr)
            failed = not trainings.seen
        except BaseException:
            traceback.print_exc()
            failed = True
        mode = context.current().mode
    context.set_context(mode=context.PYNATIVE_MODE)
    seen, files = list(trainings.seen.values()), _scripts(options.script)
    sinks, told = sinking(seen, host, mode == context.GRAPH_MODE)
    fits, more, priced = fitting(trainings, options.device, options.ranks)
    numeric, most = numbers(seen, numerics, files)
    found = report(watch, files, [*told, *more, *most], options.mindspore)
    name = os.path.basename(options.script)
    ranks = f" x {options.ranks}" if options.ranks > 1 else ""
    found.title = f"{name} on MindSpore {options.mindspore}, {options.device.name}{ranks}"
    found.lines = {
        COMPILES: [found.counted(), *(f"{n} runs op by op: {why}" for n, why in watch.given_up)],
        SAME: [],
        SINKS: sinks,
        FITS: fits,
        NUMERICS: numeric,
    }
    found.bars = [(p.where, p.bars()) for p in priced]
    return found, failed


def _scripts(script: str) -> list[str]:
    """The script, and the modules beside and below it that it has imported."""
    folder = os.path.dirname(os.path.abspath(script)) + os.sep
    files = {os.path.abspath(getattr(m, "__file__", None) or "") for m in [*sys.modules.values()]}
    beside = {f for f in files if f.startswith(folder) and f.endswith(".py")}
    own = {f for f in beside if "site-packages" not in f and not f.startswith(PACKAGE)}
    return sorted(own | {script})


__all__ = ["main"]
