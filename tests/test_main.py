"""``python -m minispore script.py`` runs a MindSpore program as ``python script.py`` would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minispore.foundation.version import __version__

RUN = [sys.executable, "-m", "minispore"]


@pytest.fixture
def run(tmp_path: Path, root: Path):
    """Write a program, run it through minispore in a folder of its own, and return the outcome."""

    def run(program: str, *args: str, name: str = "program.py") -> subprocess.CompletedProcess[str]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(program)
        return subprocess.run(
            [*RUN, name, *args], cwd=tmp_path, env=environment(root), capture_output=True, text=True
        )

    return run


def environment(root: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(root)}


def test_a_mindspore_path_is_the_minispore_module_itself(run) -> None:
    done = run(
        "import mindspore, mindspore.ir.dtype as a\n"
        "from mindspore.ir import dtype as b\n"
        "import minispore, minispore.ir.dtype as c\n"
        "print(mindspore is minispore, a is c, b is c, a.__name__, a.__spec__.name)\n"
    )
    assert done.stdout == "True True True minispore.ir.dtype minispore.ir.dtype\n", done.stderr


def test_mindspore_has_the_version_of_the_reproduced_mindspore(run) -> None:
    done = run(
        "import importlib.metadata as installed, mindspore\n"
        "from mindspore.version import __version__ as own\n"
        "print(mindspore.__version__, installed.version('mindspore'), own)\n"
        "print(installed.packages_distributions()['mindspore'])\n"
        "print([d.name for d in installed.distributions(name='mindspore')])\n"
        "print(installed.version('numpy').count('.'))\n"
    )
    assert done.stdout.splitlines() == [
        f"2.10.0 2.10.0 {__version__}",
        "['mindspore']",
        "['mindspore']",
        "2",
    ], done.stderr


def test_the_identity_holds_whichever_name_comes_first(run) -> None:
    done = run(
        "import minispore.ir.dtype as a\n"
        "import importlib\n"
        "print(importlib.import_module('mindspore.ir.dtype') is a)\n"
    )
    assert done.stdout == "True\n", done.stderr


def test_an_unknown_submodule_names_the_nearest_one_and_the_table(run) -> None:
    done = run("import mindspore.contxt\n")
    assert done.returncode == 1
    assert done.stderr == (
        "Traceback (most recent call last):\n"
        '  File "program.py", line 1, in <module>\n'
        "    import mindspore.contxt\n"
        "ModuleNotFoundError: No module named 'mindspore.contxt': minispore has no module of this "
        "name. Did you mean 'mindspore.context'? "
        "python -m minispore paths lists the MindSpore paths that it has.\n"
    )


def test_a_program_can_ask_for_an_optional_submodule(run) -> None:
    done = run(
        "try:\n    import mindspore.nowhere\n"
        "except ImportError as error:\n    print('without', error.name)\n"
    )
    assert done.stdout == "without mindspore.nowhere\n", done.stderr


def test_argv_is_the_script_and_its_arguments(run) -> None:
    done = run("import sys; print(sys.argv)", "--epochs", "3", "-m")
    assert done.stdout == "['program.py', '--epochs', '3', '-m']\n"


def test_the_script_is_main_and_its_folder_comes_first_on_the_path(run, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "beside.py").write_text("here = True")
    done = run(
        "import sys, beside; print(__name__, beside.here, sys.path[0])", name="deep/program.py"
    )
    assert done.stdout == f"__main__ True {(tmp_path / 'deep').resolve()}\n", done.stderr


def test_functions_of_main_see_their_module(run) -> None:
    done = run("import sys\nclass A: pass\nprint(sys.modules[A.__module__].A is A)")
    assert done.stdout == "True\n", done.stderr


def test_a_module_runs_with_dash_m(run, tmp_path: Path, root: Path) -> None:
    (tmp_path / "lesson.py").write_text(
        "import sys, mindspore.errors\nprint(__name__, len(sys.argv))\n"
    )
    done = subprocess.run(
        [*RUN, "-m", "lesson", "x"],
        cwd=tmp_path,
        env=environment(root),
        capture_output=True,
        text=True,
    )
    assert done.stdout == "__main__ 2\n", done.stderr


def test_the_exit_status_is_that_of_the_script(run) -> None:
    assert run("raise SystemExit(7)").returncode == 7
    assert run("").returncode == 0


@pytest.mark.parametrize(
    "program",
    [
        "def f():\n    raise ValueError('no')\n\nf()\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e\n",
        "def f(:\n",
        "import sys; sys.exit('why')\n",
    ],
    ids=["raise", "chained", "syntax", "exit message"],
)
def test_an_error_reads_as_if_python_had_run_the_script(run, tmp_path: Path, program: str) -> None:
    ours = run(program)
    python = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert ours.returncode == python.returncode
    assert ours.stderr.replace(f"{tmp_path}/", "") == python.stderr.replace(f"{tmp_path}/", "")


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_ends_by_its_signal_and_says_where_in_one_line(tmp_path: Path, root: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import time\nprint('ready', flush=True)\ntime.sleep(60)\n"
    )
    process = subprocess.Popen(
        [*RUN, "program.py"],
        cwd=tmp_path,
        env=environment(root),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)  # let it fall asleep
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert errors.strip() == "interrupted in program.py, line 3"


def test_a_missing_script_is_refused_in_one_line(tmp_path: Path, root: Path) -> None:
    done = subprocess.run(
        [*RUN, "missing.py"], cwd=tmp_path, env=environment(root), capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == f"minispore: can't open file '{tmp_path / 'missing.py'}'\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek", "train.py"], "Did you mean 'check'?\n"),
        (["--epochs", "2", "train.py"], "unknown option '--epochs'. Options of a script follow"),
        (["check"], "error: the following arguments are required: script\n"),
    ],
)
def test_a_mistyped_command_line_gets_a_suggestion(
    arguments: list[str], message: str, root: Path
) -> None:
    done = subprocess.run([*RUN, *arguments], env=environment(root), capture_output=True, text=True)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("arguments", [[], ["-m"], ["-x"]])
def test_without_a_program_it_says_how_it_is_used(root: Path, arguments: list[str]) -> None:
    done = subprocess.run([*RUN, *arguments], env=environment(root), capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m minispore [--ranks N] script.py [args]\n")


def test_a_command_ends_quietly_when_its_reader_leaves(root: Path) -> None:
    command = f"{sys.executable} -m minispore paths | head -n 1"
    done = subprocess.run(
        command, shell=True, env=environment(root), capture_output=True, text=True, check=False
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_the_installed_command_runs_a_program(run, tmp_path: Path, root: Path) -> None:
    command = tmp_path / "minispore"  # what pip writes for an entry point
    command.write_text("from minispore.__main__ import main\nmain()\n")
    (tmp_path / "program.py").write_text("import mindspore.nn, sys\nprint(sys.argv)\n1 / 0\n")
    done = subprocess.run(
        [sys.executable, command, "program.py", "-x"],
        cwd=tmp_path,
        env=environment(root),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "['program.py', '-x']\n"
    assert str(command) not in done.stderr
