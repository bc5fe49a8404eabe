"""What an editor and a type checker know of the package."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from minispore.execution import layout
from minispore.foundation.alias_table import write_stubs
from tests.docs.pages import blocks
from tests.reference.write import FOLDER
from tests.typing.stubs import ROOT, stubs

RIGHT = """\
import minispore as ms
import minispore.dataset as ds
from minispore import Tensor, mint, nn, ops
from minispore.ops import operations as P


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(2, 3)
        self.relu = nn.ReLU()

    def construct(self, x: Tensor) -> Tensor:
        y: Tensor = self.relu(self.dense(x))
        return y


net = Net()
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mae"})
data = ds.NumpySlicesDataset({"x": [[1.0, 2.0]]}).batch(1)
model.train(1, data, callbacks=[ms.LossMonitor()], dataset_sink_mode=True)
y: Tensor = ops.relu(Tensor([1.0])).reshape((1,)).sum()
z: Tensor = mint.nn.functional.relu(y).mean()
relu: nn.Cell | ops.ReLU = P.ReLU()
level: int = ms.hal.device_count()
halves: Tensor = Tensor([1, 2], ms.float16).astype(ms.int64)
ms.set_context(mode=ms.GRAPH_MODE)
"""
WRONG = {
    "a layer that is not there": ("from minispore import nn\nnn.Denes(2, 3)\n", "Denes"),
    "a text for a number": ('from minispore import nn\nnn.Dense("a", 3)\n', "int"),
    "a method that is not there": ("from minispore import Tensor\nTensor(1).sumn()\n", "sumn"),
    "a name that an alias module lacks": ("import minispore as ms\nms.hal.event()\n", "event"),
    "an op that is not there": ("from minispore import ops\nops.rleu(1)\n", "rleu"),
}
#: The stubs that a wheel has in place of those of the repository; ``make reference`` writes them.
DOCUMENTED = FOLDER / "stubs"
DOCUMENTED_STUBS = sorted(DOCUMENTED.rglob("*.pyi"))
needs_reference = pytest.mark.skipif(
    not DOCUMENTED_STUBS, reason="the reference is not written: make reference"
)
CHECKERS = {
    "mypy": ["-m", "mypy", "--strict", "--cache-dir", "{cache}"],
    "pyright": ["-m", "basedpyright", "--level", "error", "--pythonpath", sys.executable],
}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for programs, and below it the package as the wheel has it."""
    folder = tmp_path_factory.mktemp("types")
    unread = shutil.ignore_patterns("__pycache__", "reference")
    shutil.copytree(ROOT / "minispore", folder / "wheel" / "minispore", ignore=unread)
    write_stubs(folder / "wheel")
    if DOCUMENTED.exists():
        shutil.copytree(DOCUMENTED, folder / "wheel", dirs_exist_ok=True)
    return folder


def checked(
    checker: str, program: str | None, cache: Path, where: str = "program.py"
) -> subprocess.CompletedProcess[str]:
    if program is not None:
        (cache / where).write_text(program)
    path = str(cache / "wheel")
    words = [word.format(cache=cache / "mypy") for word in CHECKERS[checker]]
    # Elsewhere than in the repository, whose own settings are for its own code.
    return subprocess.run(
        [sys.executable, *words, where],
        cwd=cache,
        env={"PYTHONPATH": path, "PATH": "", "HOME": str(cache), "MYPYPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("path", stubs(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_stub_files_are_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == stubs()[path], "run `make stubs`"


@needs_reference
def test_a_wheel_leaves_out_each_stub_that_it_has_with_docstrings() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    exclude = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["exclude"]
    documented = {f"/{path.relative_to(DOCUMENTED).as_posix()}" for path in DOCUMENTED_STUBS}
    assert documented == {path for path in exclude if path.endswith(".pyi")}


@pytest.mark.parametrize("path", DOCUMENTED_STUBS, ids=lambda path: path.parent.name)
def test_a_documented_stub_differs_from_the_plain_one_by_docstrings(path: Path) -> None:
    plain = stubs()[ROOT / path.relative_to(DOCUMENTED)]
    tree = ast.parse(path.read_text("utf-8"))
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        function.body = [ast.Expr(ast.Constant(...))]
    assert ast.unparse(tree) == ast.unparse(ast.parse(plain)), "run `make reference`"


@needs_reference
@pytest.mark.parametrize(
    ("where", "name", "begins", "holds"),
    [
        ("ops/__init__", "add", "input + other.", "    other (Tensor or number): "),
        ("mint/__init__", "add", "Return input + alpha * other.", "    alpha"),
        ("core/tensor_methods", "add", "Compute input + alpha * other.", ""),
    ],
)
def test_an_editor_shows_what_a_function_does_and_takes(
    where: str, name: str, begins: str, holds: str
) -> None:
    tree = ast.parse((DOCUMENTED / "minispore" / f"{where}.pyi").read_text("utf-8"))
    (actual,) = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name]
    message = ast.get_docstring(actual)
    assert message is not None and message.startswith(begins) and holds in message


def test_the_folders_of_stubs_hide_no_alias_module(cache: Path) -> None:
    """A folder without ``__init__.py`` is a package to Python, and an empty one."""
    code = """
import importlib, minispore
from minispore.foundation.alias_table import read_alias_table
for name in read_alias_table():
    module = importlib.import_module(name)
    print(name, *sorted(n for n in vars(module) if n[0] != "_"))
"""
    printed = []
    for path in (cache / "wheel", ROOT):
        command = [sys.executable, "-c", code]
        env = os.environ | {"PYTHONPATH": str(path)}
        done = subprocess.run(command, cwd=cache, env=env, capture_output=True, text=True)
        printed.append(done.stdout)
        assert done.returncode == 0, done.stderr
    assert printed[0] == printed[1]


@pytest.mark.parametrize("checker", CHECKERS)
def test_right_code_passes(checker: str, cache: Path) -> None:
    done = checked(checker, RIGHT, cache)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(layout.OLD_NUMPY, reason="there a bare np.ndarray is no complete type")
@pytest.mark.parametrize("checker", CHECKERS)
def test_the_tutorials_code_passes(checker: str, cache: Path) -> None:
    """All pages at once: a checker reads the package a single time."""
    folder = cache / f"tutorials_{checker}"
    folder.mkdir()
    for page in sorted((ROOT / "docs" / "tutorials").glob("*.md")):
        code = [b.text for b in blocks(page.read_text(encoding="utf-8")) if b.lang == "python"]
        (folder / f"{page.stem}.py").write_text("\n".join(code), encoding="utf-8")
    done = checked(checker, None, cache, str(folder))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("mistake", WRONG)
def test_a_type_mistake_is_reported_by_name(checker: str, mistake: str, cache: Path) -> None:
    program, word = WRONG[mistake]
    done = checked(checker, program, cache)
    assert done.returncode == 1 and word in done.stdout, done.stdout + done.stderr
