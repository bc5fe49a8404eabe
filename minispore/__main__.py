"""Run a MindSpore program on minispore: ``python -m minispore script.py [args]``.

When the program imports ``mindspore``, every ``mindspore`` path resolves to the same module object
as the ``minispore`` path: ``mindspore.nn is minispore.nn``, whichever was imported first.
Everything else is as under ``python script.py``: ``sys.argv``, ``sys.path[0]``, ``__main__``,
tracebacks, status.

Programs check MindSpore's version to decide what they call, so ``mindspore.__version__`` and the
``importlib.metadata`` of mindspore are those of the MindSpore whose names minispore has.
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
from minispore.foundation.foreign_names import explain_attribute
from minispore.foundation.process import end_with
from minispore.foundation.tracebacks import iterate_traceback
from minispore.foundation.version import MINDSPORE, __version__

USAGE = """\
usage: python -m minispore [--ranks N] script.py [args]
       python -m minispore [--ranks N] -m module [args]
       python -m minispore check [--device NAME] [--ranks N] [--amp LEVEL] [--mindspore VERSION]
                                 [--steps N] [--strict] [--json] [--html FILE] script.py [args]
       python -m minispore paths [word ...]
       python -m minispore info | --version | --help

Runs a MindSpore program with `mindspore` resolving to minispore; with --ranks as N processes that
train together.

  --ranks N   start the program N times; what it calls rank i is process i
  -m module   run a module of the path, as `python -m module` does
  check       run it shortly and say what a real Ascend would: whether it compiles, computes the
              same, fits, and how fast
  paths       list the paths of MindSpore that are here, or those that contain a word
  info        say what a bug report needs: versions, BLAS and its threads, cores, extras, devices

examples:
  python -m minispore train.py --epochs 3
  python -m minispore --ranks 2 train.py
  python -m minispore -m my_package.train
  MINISPORE_PROGRESS=0 python -m minispore train.py    (no progress bar on the terminal)
  MINISPORE_FULL_TRACEBACK=1 python -m minispore train.py    (an error shows all frames)

The command `minispore`, which pip installs, is the same as `python -m minispore`."""

EVERY = DistributionFinder.Context()  # the context of a search for all distributions

# Files whose frames are removed from the program's tracebacks.
MACHINERY = {
    __file__,
    contextlib.__file__,
    runpy.__file__,
    "<frozen runpy>",
    "<frozen importlib._bootstrap>",
}


class MindSporeFinder(DistributionFinder):
    """Import finder that resolves ``mindspore.x.y`` to the module ``minispore.x.y`` itself."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return a spec that loads the twin of a ``mindspore`` module; None for other modules.

        Raises:
            ModuleNotFoundError: minispore has no such module.
        """
        root, _, submodule = fullname.partition(".")
        if root != "mindspore":
            return None
        twin = f"minispore.{submodule}" if submodule else "minispore"
        try:
            spec = importlib.util.find_spec(twin)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(str(error).replace(twin, fullname), name=fullname) from None
        if spec is None:
            raise ModuleNotFoundError(_format_missing_module(fullname, twin), name=fullname)
        return ModuleSpec(fullname, _TwinLoader(twin))

    def find_distributions(
        self, context: DistributionFinder.Context = EVERY
    ) -> Iterator[Distribution]:
        """Yield the distribution ``mindspore``, if it or all are requested."""
        if context.name in (None, "mindspore"):
            yield _MindSpore()


class _MindSpore(Distribution):
    """Metadata of a mindspore package that is not installed: its name, version and module."""

    _texts: ClassVar[Mapping[str, str]] = {
        "METADATA": f"Metadata-Version: 2.1\nName: mindspore\nVersion: {MINDSPORE}\n",
        "top_level.txt": "mindspore\n",
    }

    def read_text(self, filename: str) -> str | None:
        """Return the text of a metadata file, or None."""
        return self._texts.get(filename)

    def locate_file(self, path: object) -> Path:
        """Return the path that a file of the distribution would have."""
        return Path(__file__).parent / str(path)


class _TwinLoader(Loader):
    """Loader that makes an existing module available under a second name."""

    def __init__(self, twin: str) -> None:
        self.twin = twin

    def exec_module(self, module: ModuleType) -> None:
        """Import the twin, and replace the blank ``module`` in ``sys.modules`` by it."""
        assert module.__spec__ is not None
        sys.modules[module.__spec__.name] = importlib.import_module(self.twin)


def _format_missing_module(fullname: str, twin: str) -> str:
    """Return the error message for a missing module, with a similar name if there is one."""
    parent, twin_parent = fullname.rpartition(".")[0], twin.rpartition(".")[0]
    hint = explain_attribute(twin_parent, twin.rpartition(".")[2])
    siblings = pkgutil.iter_modules(importlib.import_module(twin_parent).__path__, f"{parent}.")
    return (
        f"No module named '{fullname}': minispore has no module of this name."
        f"{hint or did_you_mean(fullname, [m.name for m in siblings])} "
        "python -m minispore paths lists the MindSpore paths that it has."
    )


def install() -> None:
    """Make ``mindspore`` resolve to minispore in this process, even if MindSpore is installed.

    Also sets ``__version__`` of the module to that of the MindSpore whose names it has.
    """
    if not any(isinstance(finder, MindSporeFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, MindSporeFinder())
        vars(importlib.import_module("minispore"))["__version__"] = MINDSPORE


def _show_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Show an uncaught error as Python would for the program itself; show an interrupt in one
    line. Used as ``sys.excepthook``.
    """
    program = _strip_machinery(trace)
    if issubclass(kind, KeyboardInterrupt) and program is not None:
        location = f"{program.tb_frame.f_code.co_filename}, line {program.tb_lineno}"
        print(f"\ninterrupted in {location}", file=sys.stderr)
        return
    sys.__excepthook__(kind, error.with_traceback(program), program)


def _strip_machinery(trace: TracebackType | None) -> TracebackType | None:
    """Remove the frames of the import and run machinery from a traceback, in place; return the
    first remaining one, or None.
    """
    stripped = None
    for frame in reversed(list(iterate_traceback(trace))):
        if frame.tb_frame.f_code.co_filename not in MACHINERY:
            frame.tb_next = stripped
            stripped = frame
    return stripped


def main() -> None:
    """Run the program or command that ``sys.argv`` names."""
    if "MINISPORE_PARENT" in os.environ:  # a rank of ``launch``
        end_with(int(os.environ.pop("MINISPORE_PARENT")))
    match sys.argv[1:]:
        case ["-h" | "--help" | "info" | "--version" | "check" | "paths" as command, *rest]:
            with _ending_at_closed_pipe():
                _run_command(command, rest)
        case ["--ranks", count, *rest] if rest:
            _start_ranks(count, rest)
        case ["-m", module, *_]:
            _become_program(sys.argv[2:])
            if not sys.flags.safe_path:
                sys.path[0] = os.getcwd()
            with _ending_all_ranks():
                runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [script, *_] if not script.startswith("-"):
            if not os.path.exists(script):
                hint = did_you_mean(script, ("check", "info", "paths"))
                path = os.path.abspath(script)
                _exit_with_message(f"minispore: can't open file {path!r}.{hint}".rstrip("."))
            _become_program(sys.argv[1:])
            if not sys.flags.safe_path:
                sys.path[0] = os.path.dirname(os.path.realpath(script))
            with _ending_all_ranks():
                runpy.run_path(script, run_name="__main__")
        case [option, *rest] if any(word.endswith(".py") for word in rest):
            advice = f"unknown option {option!r}. Options of a script follow its name."
            _exit_with_message(f"minispore: {advice}\n\n{USAGE}")
        case _:
            _exit_with_message(USAGE)


def _run_command(command: str, arguments: list[str]) -> None:
    """Run a command of minispore itself; for ``check``, exit with its status."""
    match command:
        case "info":
            print(importlib.import_module("minispore.commands.info").info())
        case "--version":
            print(f"minispore {__version__}")
        case "paths":
            importlib.import_module("minispore.commands.paths").main(arguments)
        case "check":
            check = importlib.import_module("minispore.check.command")
            sys.exit(check.main(arguments, _become_program))
        case _:
            print(USAGE)


@contextlib.contextmanager
def _ending_at_closed_pipe() -> Iterator[None]:
    """Exit with status 1 and without a traceback when stdout is no longer read, as under
    ``| head``.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


@contextlib.contextmanager
def _ending_all_ranks() -> Iterator[None]:
    """End all ranks if this one exits with a nonzero status, since the others would wait for it.

    A message in place of a status is printed to stderr, and counts as status 1.
    """
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
    """Run the program as ``count`` ranks, and exit with their status."""
    if not count.isdecimal() or int(count) < 1:
        _exit_with_message(
            f"minispore: --ranks must be a number of processes from 1, got {count!r}"
        )
    sys.exit(
        importlib.import_module("minispore.communication.launch").launch(int(count), arguments)
    )


def _become_program(arguments: list[str]) -> None:
    """Set up ``mindspore``, the traceback hook and ``sys.argv`` for the program.

    ``arguments`` are the script or module and its arguments.
    """
    install()
    sys.excepthook = _show_error
    MACHINERY.add(sys.argv[0])  # the file of the command ``minispore``
    sys.argv[:] = arguments


def _exit_with_message(message: str) -> NoReturn:
    """Print a message to stderr and exit with status 2."""
    print(message, file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
