"""Run a MindSpore program on minispore: ``python -m minispore script.py [args]``.

The program says ``import mindspore``; every ``mindspore`` path resolves to the same module object
as the ``minispore`` path: ``mindspore.nn is minispore.nn``, whichever was imported first. All else
is as under ``python script.py``: ``sys.argv``, ``sys.path[0]``, ``__main__``, tracebacks, status.

Programs choose by MindSpore's version what they call, so ``mindspore.__version__``, and what
``importlib.metadata`` tells of mindspore, is that of the MindSpore whose names are here.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import pkgutil
import runpy
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path
from types import ModuleType, TracebackType
from typing import ClassVar, NoReturn

from minispore.errors import did_you_mean
from minispore.process import end_with
from minispore.version import MINDSPORE, __version__

USAGE = """\
usage: python -m minispore [--ranks N] script.py [args]
       python -m minispore [--ranks N] -m module [args]
       python -m minispore check [--device NAME] [--ranks N] [--amp LEVEL] [--mindspore VERSION]
                                 [--steps N] [--strict] [--json] [--html FILE] script.py [args]
       python -m minispore info | --version | --help

Runs a MindSpore program with `mindspore` resolving to minispore; with --ranks as N processes that
train together.

  --ranks N   start the program N times; what it calls rank i is process i
  -m module   run a module of the path, as `python -m module` does
  check       run it shortly and say what a real Ascend would: whether it compiles, computes the
              same, fits, and how fast
  info        say what a bug report needs: versions, BLAS and its threads, cores, extras, devices

examples:
  python -m minispore train.py --epochs 3
  python -m minispore --ranks 2 train.py
  python -m minispore -m my_package.train
  MINISPORE_PROGRESS=0 python -m minispore train.py    (no progress bar on the terminal)"""

EVERY = DistributionFinder.Context()  # all distributions

# What stands between the interpreter and the program; nobody looks for an error there.
MACHINERY = {
    __file__,
    contextlib.__file__,
    runpy.__file__,
    "<frozen runpy>",
    "<frozen importlib._bootstrap>",
}


class MindSporeFinder(DistributionFinder):
    """Finds ``mindspore.x.y`` as the very module ``minispore.x.y``."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return a spec that loads the twin of ``fullname``, or None if it is not MindSpore's.

        Raises:
            ModuleNotFoundError: minispore has no such module.
        """
        root, _, rest = fullname.partition(".")
        if root != "mindspore":
            return None
        twin = f"minispore.{rest}" if rest else "minispore"
        if importlib.util.find_spec(twin) is None:
            raise ModuleNotFoundError(_no_such_module(fullname, twin), name=fullname)
        return ModuleSpec(fullname, _TwinLoader(twin))

    def find_distributions(
        self, context: DistributionFinder.Context = EVERY
    ) -> Iterator[Distribution]:
        """The distribution ``mindspore``, if it is asked for, or all are."""
        if context.name in (None, "mindspore"):
            yield _MindSpore()


class _MindSpore(Distribution):
    """What is known of a package that is not installed: its name, version and module."""

    _texts: ClassVar[Mapping[str, str]] = {
        "METADATA": f"Metadata-Version: 2.1\nName: mindspore\nVersion: {MINDSPORE}\n",
        "top_level.txt": "mindspore\n",
    }

    def read_text(self, filename: str) -> str | None:
        """One of its files."""
        return self._texts.get(filename)

    def locate_file(self, path: object) -> Path:
        """Where one would lie."""
        return Path(__file__).parent / str(path)


class _TwinLoader(Loader):
    """Puts an existing module under a second name."""

    def __init__(self, twin: str) -> None:
        self.twin = twin

    def exec_module(self, module: ModuleType) -> None:
        """Import the twin and let it take the place of the blank ``module`` in ``sys.modules``."""
        assert module.__spec__ is not None
        sys.modules[module.__spec__.name] = importlib.import_module(self.twin)


def _no_such_module(fullname: str, twin: str) -> str:
    parent, twin_parent = fullname.rpartition(".")[0], twin.rpartition(".")[0]
    siblings = pkgutil.iter_modules(importlib.import_module(twin_parent).__path__, f"{parent}.")
    return (
        f"No module named '{fullname}': minispore has no module of this name."
        f"{did_you_mean(fullname, [m.name for m in siblings])} "
        "python -m minispore.paths lists the MindSpore paths that it has."
    )


def install() -> None:
    """Let ``mindspore`` resolve to minispore in this process, before any installed MindSpore."""
    if not any(isinstance(finder, MindSporeFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, MindSporeFinder())
        vars(importlib.import_module("minispore"))["__version__"] = MINDSPORE


def _show_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Show an uncaught error as Python would have if the program had been started directly; an
    interrupt in one line.
    """
    program = _program_only(trace)
    if issubclass(kind, KeyboardInterrupt) and program is not None:
        where = f"{program.tb_frame.f_code.co_filename}, line {program.tb_lineno}"
        print(f"\ninterrupted in {where}", file=sys.stderr)
        return
    sys.__excepthook__(kind, error.with_traceback(program), program)


def _program_only(trace: TracebackType | None) -> TracebackType | None:
    """The same traceback without the frames of the machinery."""
    kept = None
    for step in reversed(list(_steps(trace))):
        if step.tb_frame.f_code.co_filename not in MACHINERY:
            step.tb_next = kept
            kept = step
    return kept


def _steps(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def main() -> None:
    """Run the program that ``sys.argv`` names, in place of this one."""
    if "MINISPORE_PARENT" in os.environ:  # a rank of ``launch``
        end_with(int(os.environ.pop("MINISPORE_PARENT")))
    match sys.argv[1:]:
        case ["-h" | "--help", *_]:
            print(USAGE)
        case ["info"]:
            print(importlib.import_module("minispore.info").info())
        case ["--version", *_]:
            print(f"minispore {__version__}")
        case ["check", *rest]:
            command = importlib.import_module("minispore.check.command")
            sys.exit(command.main(rest, _take_over))
        case ["--ranks", count, *rest] if rest:
            _start_ranks(count, rest)
        case ["-m", module, *_]:
            _take_over(sys.argv[2:])
            with _failing_as_one():
                runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [script, *_] if not script.startswith("-"):
            if not os.path.exists(script):
                _refuse(f"minispore: can't open file {os.path.abspath(script)!r}")
            _take_over(sys.argv[1:])
            if not sys.flags.safe_path:
                sys.path[0] = os.path.dirname(os.path.realpath(script))
            with _failing_as_one():
                runpy.run_path(script, run_name="__main__")
        case _:
            _refuse(USAGE)


@contextlib.contextmanager
def _failing_as_one() -> Iterator[None]:
    """A rank that exits with a status ends all ranks, which would wait for it."""
    try:
        yield
    except SystemExit as end:
        transport = sys.modules.get("minispore.ops.support.transport")
        if end.code not in (None, 0) and transport is not None:
            if not isinstance(end.code, int):
                print(end.code, file=sys.stderr)
                end.code = 1
            transport.current.abort(end.code)
        raise


def _start_ranks(count: str, arguments: list[str]) -> NoReturn:
    if not count.isdecimal() or int(count) < 1:
        _refuse(f"minispore: --ranks must be a number of processes from 1, got {count!r}")
    sys.exit(
        importlib.import_module("minispore.communication.launch").launch(int(count), arguments)
    )


def _take_over(arguments: list[str]) -> None:
    install()
    sys.excepthook = _show_error
    sys.argv[:] = arguments


def _refuse(message: str) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
