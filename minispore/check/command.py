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
from minispore.check.cut import Trainings, shorten_trainings
from minispore.check.finding import Report, make_report
from minispore.check.fits import estimate_trainings
from minispore.check.host import HostInteractions
from minispore.check.numerics import NumericsMonitor, summarize_numerics
from minispore.check.page import render_page
from minispore.check.rule import COMPILES, FITS, NUMERICS, SAME, SINKS
from minispore.check.sinks import summarize_sinks
from minispore.check.versions import VERSIONS
from minispore.check.watch import Watch
from minispore.device.model.spec import device_spec
from minispore.errors import DeviceMemoryError
from minispore.graph.state.code_origin import PACKAGE
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
    options = _parse_options(arguments)
    take_over([options.script, *options.arguments])
    sys.path[0] = os.path.dirname(os.path.realpath(options.script))
    previous_context = context.current()
    try:
        report, failed = _run_script(options)
    finally:
        context.restore(previous_context)
    if not options.strict:
        report = report.without_strict()
    if options.html:
        with open(options.html, "w", encoding="utf-8") as file:
            file.write(render_page(report))
    print(report.json() if options.json else report.text(colour=sys.stdout.isatty()))
    return FAILED if failed else FINDINGS if report.findings else CLEAN


def _parse_options(arguments: list[str]) -> Namespace:
    """Parse the command line; a wrong option ends the process with a message."""
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


def _run_script(options: Namespace) -> tuple[Report, bool]:
    """Run the script under observation; return its report, and whether the script failed.

    An error of the script is printed. The context is in PYNATIVE_MODE afterwards.
    """
    watch, host, numerics, trainings = (
        Watch(),
        HostInteractions(),
        NumericsMonitor(options.device),
        Trainings(),
    )
    failed = False
    with ExitStack() as observation_stack:
        observation_stack.enter_context(
            shorten_trainings(trainings, options.steps, options.device, options.amp)
        )
        observation_stack.enter_context(watch.watching())
        observation_stack.enter_context(host.watching())
        observation_stack.enter_context(numerics.watching())
        observation_stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", message="GRAPH_MODE: .* runs op by op")
        if options.json:  # the report alone goes to the standard output
            observation_stack.enter_context(redirect_stdout(sys.stderr))
        try:
            try:
                runpy.run_path(options.script, run_name="__main__")
            finally:
                wait_for_saves()  # the threads write into the scratch folder
        except SystemExit as exit_request:
            failed = exit_request.code not in (None, 0)
        except DeviceMemoryError as exc:  # the report tells of it, if a training was seen
            print(exc, file=sys.stderr)
            failed = not trainings.entries
        except BaseException:
            traceback.print_exc()
            failed = True
        mode = context.current().mode
    context.set_context(mode=context.PYNATIVE_MODE)
    training_list, files = list(trainings.entries.values()), _find_script_files(options.script)
    sink_lines, sink_findings = summarize_sinks(training_list, host, mode == context.GRAPH_MODE)
    fit_lines, memory_findings, estimates = estimate_trainings(
        trainings, options.device, options.ranks
    )
    numeric_lines, numeric_findings = summarize_numerics(training_list, numerics, files)
    result = make_report(
        watch, files, [*sink_findings, *memory_findings, *numeric_findings], options.mindspore
    )
    name = os.path.basename(options.script)
    ranks = f" x {options.ranks}" if options.ranks > 1 else ""
    result.title = f"{name} on MindSpore {options.mindspore}, {options.device.name}{ranks}"
    result.lines = {
        COMPILES: [
            result.format_function_count(),
            *(f"{n} runs op by op: {why}" for n, why in watch.op_by_op_reasons),
        ],
        SAME: [],
        SINKS: sink_lines,
        FITS: fit_lines,
        NUMERICS: numeric_lines,
    }
    result.bars = [(p.location, p.bars()) for p in estimates]
    return result, failed


def _find_script_files(script: str) -> list[str]:
    """Return the script, and the modules beside and below it that it has imported."""
    folder = os.path.dirname(os.path.abspath(script)) + os.sep
    files = {os.path.abspath(getattr(m, "__file__", None) or "") for m in [*sys.modules.values()]}
    neighbours = {f for f in files if f.startswith(folder) and f.endswith(".py")}
    user_files = {f for f in neighbours if "site-packages" not in f and not f.startswith(PACKAGE)}
    return sorted(user_files | {script})


__all__ = ["main"]
