"""``python -m minispore check script.py``: run a script briefly, report what MindSpore would do."""

from __future__ import annotations

import argparse
import io
import os
import runpy
import sys
import traceback
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

from minispore import context
from minispore.check.annotations import format_github, make_sarif
from minispore.check.cut import MAX_EPOCHS, Trainings, shorten_trainings
from minispore.check.finding import Report, format_count, make_report
from minispore.check.fits import estimate_trainings
from minispore.check.host import HostInteractions
from minispore.check.names import record_reached_lines
from minispore.check.numerics import NumericsMonitor, summarize_numerics
from minispore.check.page import render_page
from minispore.check.rule import COMPILES, FITS, NAMES, NUMERICS, SAME, SINKS
from minispore.check.sinks import summarize_sinks
from minispore.check.source import parse_file
from minispore.check.versions import VERSIONS
from minispore.check.watch import Watch
from minispore.communication.management import simulate_world
from minispore.device.model.spec import device_spec
from minispore.errors import PACKAGE_FOLDER, DeviceMemoryError
from minispore.train.files.async_saving import wait_for_saves

CLEAN, FINDINGS, FAILED, INTERNAL_ERROR = 0, 1, 2, 3


def main(arguments: list[str], take_over: Callable[[list[str]], None]) -> int:
    """Check the script named in ``arguments``.

    Args:
        arguments: the command line after ``check``.
        take_over: sets up ``sys.argv`` and the process like ``python script.py``.

    Returns:
        The exit status: 0 no certain findings, 1 certain findings, 2 the script failed, 3 an
        internal error of minispore, which is printed as one line.
    """
    options = _parse_options(arguments)
    take_over([options.script, *options.arguments])
    sys.path[0] = os.path.dirname(os.path.realpath(options.script))
    previous_context, previous_plan = context.current(), context.parallel.current()
    try:
        report = _check_script(options)
    except Exception as exc:
        if options.traceback:
            traceback.print_exc()
        print(_format_internal_error(exc), file=sys.stderr)
        return INTERNAL_ERROR
    finally:
        context.restore(previous_context)
        context.parallel.restore(previous_plan)
    if options.html:
        with open(options.html, "w", encoding="utf-8") as file:
            file.write(render_page(report))
    if options.sarif:
        with open(options.sarif, "w", encoding="utf-8") as file:
            file.write(make_sarif(report))
    print(report.json() if options.json else report.text(colour=sys.stdout.isatty()))
    if options.github and report.findings:
        print(format_github(report))
    if report.failed:
        return FAILED
    return FINDINGS if report.certain else CLEAN


def _format_internal_error(exc: Exception) -> str:
    """Return one line about an internal error of minispore: its text, its place and how to report
    it.
    """
    frame = traceback.extract_tb(exc.__traceback__)[-1]
    reason = " ".join(str(exc).split())
    return (
        f"minispore check: internal error at {os.path.basename(frame.filename)}:{frame.lineno} "
        f"({type(exc).__name__}: {reason}). The script is not at fault. Please report this line "
        "with the script; --traceback shows where the error was raised."
    )


def _parse_options(arguments: list[str]) -> Namespace:
    """Parse the command line; a wrong option ends the process with a message."""
    parser = argparse.ArgumentParser(prog="python -m minispore check", description=__doc__)
    add = parser.add_argument
    add("--device", default="Ascend910", help="the target device, such as Ascend910B2 (Ascend910)")
    add(
        "--ranks",
        type=int,
        default=1,
        metavar="N",
        help="the number of devices that train together (1)",
    )
    add("--amp", default="", choices=["O1", "O2", "O3", "auto"],
        help="use mixed precision in trainings that do not request it")  # fmt: skip
    add("--mindspore", default=VERSIONS[-1], choices=VERSIONS, metavar="VERSION",
        help=f"the version of the names: {', '.join(VERSIONS)} ({VERSIONS[-1]})")  # fmt: skip
    add("--steps", type=int, default=3, help="the number of steps in each epoch of a training (3)")
    printed = parser.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print the report as JSON")
    printed.add_argument("--github", action="store_true",
        help="also print GitHub annotations for the findings")  # fmt: skip
    add("--html", metavar="FILE", help="also write the report as an HTML page")
    add("--sarif", metavar="FILE", help="also write the findings as SARIF 2.1.0")
    add("--mode", choices=["graph"], default="",
        help="check the script as if it set GRAPH_MODE")  # fmt: skip
    add("--prints", action="store_true", help="show what the script itself prints")
    add("--traceback", action="store_true", help="show where an internal error was raised")
    add(
        "--strict",
        action="store_true",
        help="also report what only STRICT refuses, as for a script that sets it",
    )
    add("script")
    add("arguments", nargs=argparse.REMAINDER).required = False  # in messages
    options = parser.parse_args(arguments)
    for name in ("steps", "ranks"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(options, name)}")
    if not os.path.exists(options.script):
        parser.error(f"can't open file {os.path.abspath(options.script)!r}")
    try:
        options.device = device_spec(options.device)
    except ValueError as exc:
        parser.error(f"--device: {exc}")
    return options


@dataclass
class _Observation:
    """The observations of one run of the script.

    Attributes:
        failed: whether the script raised an error.
        has_graph_mode: whether GRAPH_MODE was set at any time.
        ends_in_graph_mode: whether GRAPH_MODE was set when the script ended.
        internal_error: an error raised by minispore's observers, if any.
        printed: the number of lines that the script printed.
        reached_lines: the lines that ran in files with missing names, if there are such files.
    """

    numerics: NumericsMonitor
    watch: Watch = field(default_factory=Watch)
    host: HostInteractions = field(default_factory=HostInteractions)
    trainings: Trainings = field(default_factory=Trainings)
    failed: bool = False
    has_graph_mode: bool = False
    ends_in_graph_mode: bool = False
    internal_error: Exception | None = None
    printed: int = 0
    reached_lines: dict[str, set[int]] = field(default_factory=dict)


def _check_script(options: Namespace) -> Report:
    """Run the script under observation and return its report.

    An error of the script is printed; an error of minispore's observers is raised. The context is
    in PYNATIVE_MODE afterwards.
    """
    run = _run_script(options)
    context.set_context(mode=context.PYNATIVE_MODE)
    if run.internal_error is not None:
        raise run.internal_error
    training_list, files = list(run.trainings.entries.values()), _find_script_files(options.script)
    sink_lines, sink_findings = summarize_sinks(training_list, run.host, run.ends_in_graph_mode)
    fit_lines, memory_findings, estimates = estimate_trainings(
        run.trainings, options.device, options.ranks
    )
    numeric_lines, numeric_findings = summarize_numerics(training_list, run.numerics, files)
    result = make_report(
        run.watch,
        files,
        [*sink_findings, *memory_findings, *numeric_findings],
        options.mindspore,
        run.reached_lines,
    )
    name = os.path.basename(options.script)
    ranks = f" x {options.ranks}" if options.ranks > 1 else ""
    result.title = f"{name} on MindSpore {options.mindspore}, {options.device.name}{ranks}"
    result.notes, result.failed = _describe_run(run, options), run.failed
    result.lines = {
        COMPILES: [
            result.format_function_count(),
            *([] if run.has_graph_mode else [_PYNATIVE_ONLY]),
            *(f"{n} runs op by op: {why}" for n, why in run.watch.op_by_op_reasons),
        ],
        SAME: [],
        NAMES: [f"{os.path.basename(f)} has a syntax error: its names were not checked"
                for f in files if parse_file(f) is None],
        SINKS: sink_lines,
        FITS: fit_lines,
        NUMERICS: numeric_lines,
    }  # fmt: skip
    result.bars = [(p.location, p.bars()) for p in estimates]
    return result if options.strict or run.watch.has_strict_calls else result.without_strict()


_PYNATIVE_ONLY = (
    "nothing else was checked for GRAPH_MODE, because the script runs in PYNATIVE_MODE: "
    "--mode graph checks it as if it set GRAPH_MODE"
)


def _describe_run(run: _Observation, options: Namespace) -> list[str]:
    """Return sentences about the run: how much it was shortened, and how many lines it printed."""
    notes = []
    if run.trainings.entries:
        notes.append(
            f"each training was cut to {MAX_EPOCHS} epochs of {options.steps} steps: its losses "
            "and accuracies are not meaningful"
        )
    if run.printed and not options.prints:
        notes.append(f"the script printed {format_count(run.printed, 'line')}: --prints shows them")
    return notes


def _run_script(options: Namespace) -> _Observation:
    """Run the script under observation; return the observations.

    Its output is counted but not shown, unless the options ask for it. Its errors are printed and
    recorded in ``failed``.
    """
    run, output = _Observation(NumericsMonitor(options.device)), io.StringIO()
    with ExitStack() as observation_stack:
        enter = observation_stack.enter_context
        enter(shorten_trainings(run.trainings, options.steps, options.device, options.amp))
        enter(run.watch.watching())
        enter(run.host.watching())
        enter(run.numerics.watching())
        enter(warnings.catch_warnings())
        enter(_follow_mode(run, options.mode == "graph"))
        if options.ranks > 1:
            enter(simulate_world(options.ranks))
        run.reached_lines = enter(record_reached_lines(options.script, options.mindspore))
        warnings.filterwarnings("ignore", message="GRAPH_MODE: .* runs op by op")
        if not options.prints:
            enter(redirect_stdout(output))
        elif options.json:  # only the report is written to standard output
            enter(redirect_stdout(sys.stderr))
        try:
            try:
                runpy.run_path(options.script, run_name="__main__")
            finally:
                wait_for_saves()  # the threads write into the scratch folder
        except SystemExit as exit_request:
            run.failed = exit_request.code not in (None, 0)
        except DeviceMemoryError as exc:  # mentioned in the report if a training was seen
            print(exc, file=sys.stderr)
            run.failed = not run.trainings.entries
        except BaseException as exc:
            if isinstance(exc, Exception) and _is_raised_by_check(exc):
                run.internal_error = exc
            else:
                traceback.print_exc()
            run.failed = True
        run.ends_in_graph_mode = context.current().mode == context.GRAPH_MODE
    run.printed = len(output.getvalue().splitlines())
    return run


def _is_raised_by_check(exc: Exception) -> bool:
    """Whether an exception was raised by code of this package itself, not by code that it calls."""
    return traceback.extract_tb(exc.__traceback__)[-1].filename.startswith(
        os.path.dirname(__file__) + os.sep
    )


@contextmanager
def _follow_mode(run: _Observation, force_graph_mode: bool) -> Iterator[None]:
    """Record in ``run`` whether GRAPH_MODE was ever set inside the ``with`` block.

    With ``force_graph_mode``, set it at the start and again after each change.
    """

    def note_mode(*_: Any) -> None:
        """Set GRAPH_MODE again if it is forced, and record whether it is set."""
        if force_graph_mode and context.current().mode != context.GRAPH_MODE:
            context.set_context(mode=context.GRAPH_MODE)
        run.has_graph_mode |= context.current().mode == context.GRAPH_MODE

    with context.subscribed(note_mode):
        note_mode()
        yield


def _find_script_files(script: str) -> list[str]:
    """Return the script and the user's modules in its folder and subfolders that it has imported,
    sorted.
    """
    folder = os.path.dirname(os.path.abspath(script)) + os.sep
    files = {os.path.abspath(getattr(m, "__file__", None) or "") for m in [*sys.modules.values()]}
    neighbours = {f for f in files if f.startswith(folder) and f.endswith(".py")}
    user_files = {
        f for f in neighbours if "site-packages" not in f and not f.startswith(PACKAGE_FOLDER)
    }
    return sorted(user_files | {script})


__all__ = ["main"]
