"""Run examples as a reader pastes them; record what they print and the calls that they make."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import random as python_random
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

import minispore
from minispore import context
from minispore.core.tensor import Tensor
from minispore.dataset import config
from minispore.execution import random
from tests.reference.names import FRONTS, Name

# The first word of a public name, and the line that a script has for it.
_MODULES = {
    "np": "import numpy as np",
    "ms": "import minispore as ms",
    "ds": "import minispore.dataset as ds",
    "mnp": "import minispore.numpy as mnp",
    "F": "from minispore.mint.nn import functional as F",
    "vision": "from minispore.dataset import vision",
    "transforms": "from minispore.dataset import transforms",
    "text": "from minispore.dataset import text",
    "audio": "from minispore.dataset import audio",
    "initializer": "from minispore.common import initializer",
    "fft": "from minispore.scipy import fft",
    "linalg": "from minispore.scipy import linalg",
    "optimize": "from minispore.scipy import optimize",
    "msb": "import minispore.nn.probability.bijector as msb",
    "msd": "import minispore.nn.probability.distribution as msd",
    "optim": "from minispore.experimental import optim",
    "lr_scheduler": "from minispore.experimental.optim import lr_scheduler",
}
_FROM_TOP = [
    "Model", "Parameter", "Tensor", "amp", "communication", "context", "device", "mindrecord",
    "hal", "mint", "nn", "ops", "parallel", "profiler", "runtime", "tools", "train", "utils",
]  # fmt: skip


@dataclass
class Call:
    """A call of a function or an object, with the constructor's arguments if the object is
    a Cell.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any
    target: Any  # the object, or the function
    constructor_args: tuple[tuple[Any, ...], dict[str, Any]] | None = None  # of a Cell


@dataclass
class Ran:
    """The record of an example that was run."""

    text: str  # with its outputs
    calls: list[Call] = field(default_factory=list)
    wrong: str = ""  # what failed
    uses_random: bool = False  # whether a stream of random numbers has moved


# What ``imports`` finds by itself.
_TOP = "|".join(_FROM_TOP)
_USUAL = re.compile(
    rf"from minispore import (?:{_TOP})(?:, (?:{_TOP}))*|import numpy as np|import minispore as ms"
    "|import minispore.dataset as ds"
)
_ran: dict[tuple[str, ...], Ran] = {}


class Example:
    """An example: statements in public names."""

    def __init__(self, statements: list[str]) -> None:
        self.statements = [s.rstrip("\n") for s in statements if not _USUAL.fullmatch(s.strip())]

    @cached_property
    def imports(self) -> list[str]:
        """The import lines that a script needs before the statements."""
        tree = ast.parse("\n".join(self.statements))
        references = {n.asname or n.name.partition(".")[0] for s in ast.walk(tree)
                 if isinstance(s, ast.Import | ast.ImportFrom) for n in s.names}  # fmt: skip
        loops = [n.target for n in ast.walk(tree) if isinstance(n, ast.comprehension)]
        references |= {n.id for t in loops for n in ast.walk(t) if isinstance(n, ast.Name)}
        text = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - references
        top = [n for n in _FROM_TOP if n in text]
        lines = [line for name, line in _MODULES.items() if name in text]
        return [*lines, *([f"from minispore import {', '.join(top)}"] if top else [])]

    def run(self, name: Name) -> Ran:
        """Run the statements once for each ``name``, recording its calls."""
        key = (name.qualified_name, *self.statements)
        if key not in _ran:
            _ran[key] = self._run_with_seed(name, seed=1)
        return _ran[key]

    def draws(self, name: Name) -> bool:
        """Whether the printed text changes with the seed of the random numbers."""
        ran = self.run(name)
        return ran.uses_random and self._run_with_seed(name, seed=2).text != ran.text

    def _run_with_seed(self, name: Name, seed: int) -> Ran:
        names: dict[str, Any] = {}
        lines_shown, calls = [f">>> {line}" for line in self.imports], []
        random.set_seed(seed)
        streams = _random_states()
        with restore_settings(), silence_output(), _record_calls(name, calls):
            try:
                for line in self.imports:
                    exec(line, names)
                for statement in self.statements:
                    first, *rest = statement.split("\n")
                    lines_shown += [f">>> {first}", *(f"... {line}" for line in rest)]
                    printed = _capture_output(statement, names)
                    lines_shown += [line or "<BLANKLINE>" for line in printed.rstrip().split("\n")
                              if printed]  # fmt: skip
            except Exception as error:
                return Ran("", [], f"{type(error).__name__}: {error}")
        return Ran("\n".join(lines_shown), calls, uses_random=_random_states() != streams)


@contextlib.contextmanager
def restore_settings() -> Iterator[None]:
    """Restore the context and the settings of datasets after the block."""
    before, dataset_settings = context.current(), config.settings()
    try:
        yield
    finally:
        context.restore(before)
        config.restore(dataset_settings)


def _random_states() -> tuple[Any, ...]:
    """Return the states of all streams of random numbers."""
    numpys = np.random.get_state()  # noqa: NPY002
    return random.get_state(), numpys[1].tobytes(), numpys[2], python_random.getstate()


def _capture_output(statement: str, names: dict[str, Any]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(_compile_statement(statement), names)
    return out.getvalue()


@cache
def _compile_statement(statement: str) -> CodeType:
    return compile(statement + "\n", "<example>", "single")


@contextlib.contextmanager
def silence_output() -> Iterator[None]:
    silent = contextlib.redirect_stdout(io.StringIO())
    with warnings.catch_warnings(), np.errstate(all="ignore"), silent:
        warnings.simplefilter("ignore")
        yield


@cache
def _find_fronts() -> dict[int, list[tuple[Any, str]]]:
    """Map each function's id to the modules that offer it, and its names there."""
    actual: dict[int, list[tuple[Any, str]]] = {}
    for place in (Tensor, *(sys.modules[f] for f in FRONTS)):
        for key, value in vars(place).items():
            if inspect.isfunction(value):
                actual.setdefault(id(value), []).append((place, key))
    return actual


@contextlib.contextmanager
def _record_calls(name: Name, calls: list[Call]) -> Iterator[None]:
    """Append each call of the name's function or object to ``calls`` in the block."""
    thing = name.thing
    patched: list[tuple[Any, str, Any]] = []

    def patch(place: Any, key: str, value: Any) -> None:
        patched.append((place, key, vars(place).get(key, patched)))
        setattr(place, key, value)

    if name.is_class:
        options: dict[int, Any] = {}
        if name.is_cell:
            init, call = thing.__init__, thing.__call__

            def record_init(self: Any, *args: Any, **kwargs: Any) -> None:
                if type(self) is thing:
                    options[id(self)] = (args, kwargs)
                init(self, *args, **kwargs)

            patch(thing, "__init__", record_init)
        else:
            call = thing.__call__ if name.is_op else None
        if call:

            def spied_call(self: Any, *args: Any, **kwargs: Any) -> Any:
                result = call(self, *args, **kwargs)
                if type(self) is thing:
                    calls.append(Call(args, kwargs, result, self, options.get(id(self))))
                return result

            patch(thing, "__call__", spied_call)
    else:

        def record_call(*args: Any, **kwargs: Any) -> Any:
            result = thing(*args, **kwargs)
            calls.append(Call(args, kwargs, result, thing))
            return result

        for place, key in _find_fronts()[id(thing)]:
            patch(place, key, record_call)
    try:
        yield
    finally:
        for place, key, before in reversed(patched):
            if before is patched:
                delattr(place, key)
            else:
                setattr(place, key, before)


# -- from the sources ------------------------------------------------------------------------------


def parse_docstring_example(text: str, name: Name, public: dict[int, str]) -> Example:
    """Return the example of a docstring, rewritten from its module's names to public names."""
    parsed = doctest.DocTestParser().get_examples(text)
    module = sys.modules[name.thing.__module__]
    bound: set[str] = set()
    return Example([s for e in parsed for s in _rewrite_names(e.source, module, bound, public)])


def _rewrite_names(source: str, module: Any, bound: set[str], public: dict[int, str]) -> list[str]:
    tree = ast.parse(source)
    lines = source.split("\n")
    imported: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            bound |= {a.asname or a.name.partition(".")[0] for a in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    results = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id not in bound]
    for node in sorted(results, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        thing = vars(module).get(node.id)
        text = public.get(id(thing)) if thing is not None else None
        if node.id in ("np", "Tensor", "ops", "nn", "mint") or (thing is None):
            continue
        if inspect.ismodule(thing):
            text = _name_module(thing.__name__, node.id, imported)
        elif text is None:
            home = getattr(thing, "__module__", None) or module.__name__
            home = (
                home if getattr(sys.modules.get(home), node.id, None) is thing else module.__name__
            )
            imported.append(f"from {home} import {node.id}")
            bound.add(node.id)
            continue
        line = lines[node.lineno - 1]
        end = node.col_offset + len(node.id)
        lines[node.lineno - 1] = line[: node.col_offset] + text + line[end:]
    return [*dict.fromkeys(imported), "\n".join(lines)]


def _name_module(module: str, name: str, imported: list[str]) -> str:
    """Return the name by which a script calls a module, and add the import that it needs."""
    references = {"minispore": "ms", "numpy": "np", "minispore.ir.dtype": "ms"}
    if module in references:
        return references[module]
    parent, _, leaf = module.rpartition(".")
    if (
        not any(line.endswith(f" import {leaf}") for line in _MODULES.values())
        and leaf not in _FROM_TOP
    ):
        imported.append(f"from {parent} import {leaf}" if parent else f"import {leaf}")
    return leaf


@cache
def read_written_calls() -> dict[str, list[str]]:
    """Return the statements of ``calls.txt`` by the public name that they are about."""
    actual = {}
    for line in Path(__file__).with_name("calls.txt").read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            text, _, code = line.partition(": ")
            actual[text] = [c.replace("\\n", "\n") for c in code.split(";; ")]
    return actual


# -- of the op behind a function -------------------------------------------------------------------


def adapt_op_examples(name: Name, op: Name, example: Example) -> Iterator[Example]:
    """Yield an op's examples as calls of the function that calls the op."""
    ours = [p.name for p in name.parameters() if p.kind is not p.VAR_KEYWORD]
    fields = list(op.thing.fields)
    for k, statement in enumerate(example.statements):
        for node in ast.walk(ast.parse(statement)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Call)
                    and ast.unparse(node.func.func) == op.qualified_name):  # fmt: skip
                continue
            options = dict(zip(fields, map(ast.unparse, node.func.args)))
            options |= {str(w.arg): ast.unparse(w.value) for w in node.func.keywords}
            if not options.keys() <= set(ours):
                continue
            inputs = [ast.unparse(a) for a in node.args]
            keys = [f"{f}={v}" for f, v in options.items()]
            unpacked_tuples = [
                [ast.unparse(e) for e in a.elts] for a in node.args if isinstance(a, ast.Tuple)
            ]
            for left in (inputs, *(unpacked_tuples if len(inputs) == 1 else [])):
                if name.path.startswith("Tensor."):
                    call = f"{left[0]}.{name.path[7:]}({', '.join([*left[1:], *keys])})"
                else:
                    call = f"{name.qualified_name}({', '.join([*left, *keys])})"
                text = ast.unparse(ast.parse(statement)).replace(ast.unparse(node), call)
                new = list(example.statements)
                new[k] = text.replace("'", '"') if '"' not in text else text
                yield Example(new)


# -- made of the signature -------------------------------------------------------------------------

_PLAIN = [
    "Tensor([0.5, 1.0, 2.0])",
    "Tensor([[1.0, 2.0], [3.0, 4.0]])",
    "Tensor([1, 2, 6])",
    "Tensor([True, False])",
    "Tensor([[[1.0, 2.0], [3.0, 4.0]]])",
    "Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])",
]
# A plain value of what several functions call by the same name.
_VALUES = {
    "axis": "0", "dim": "0", "axes": "(0, 1)", "shape": "(2, 3)", "size": "(2, 3)", "k": "1",
    "n": "3", "N": "3", "M": "5", "p": "2.0", "start": "0", "end": "4", "stop": "4", "steps": "5",
    "step": "2", "num": "3", "indices": "Tensor([0, 1])", "index": "Tensor([0, 1])",
    "mask": "Tensor([True, False])", "condition": "Tensor([True, False])", "value": "7.0",
    "fill_value": "7.0", "window_length": "5", "dtype": "ms.float32", "dim0": "0", "dim1": "1",
    "axis1": "0", "axis2": "1", "source": "0", "destination": "1", "equation": "'ij->ji'",
    "indices_or_sections": "2", "q": "0.5", "reps": "2", "repeats": "2", "shift": "1",
    "minval": "0", "maxval": "1", "low": "0", "high": "10", "group": "'hccl_world_group'",
    "kernel_size": "2", "output_size": "1", "padding": "1", "reduction": "'mean'",
}  # fmt: skip

_PAIRS = [
    ("Tensor([1.0, 2.0, 4.0])", "Tensor([2.0, 2.0, 2.0])"),
    ("Tensor([1, 2, 6])", "Tensor([3, 2, 1])"),
    ("Tensor([True, False])", "Tensor([True, True])"),
    ("Tensor([[1.0, 2.0], [3.0, 4.0]])", "Tensor([[1.0, 0.0], [1.0, 1.0]])"),
    ("Tensor([[1.0, 2.0], [3.0, 4.0]])", "Tensor([1.0, 10.0])"),
    ("Tensor([[1.0, 2.0], [3.0, 4.0]])", "0"),
    ("Tensor([[1.0, 2.0], [3.0, 4.0]])", "1"),
    ("Tensor([[1.0, 2.0], [3.0, 4.0]])", "(1, 0)"),
    ("Tensor([1.0, 2.0, 4.0])", "2"),
    ("Tensor([1.0, 2.0, 4.0])", "(2, 3)"),
]


def guess_examples(name: Name) -> Iterator[Example]:
    """Yield calls with plain tensors that the signature allows."""
    needed = [p for p in name.parameters() if p.default is p.empty
              and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]  # fmt: skip
    if name.is_class and not name.is_op and not name.is_cell:
        return
    if name.is_cell:
        if not needed:
            for x in _PLAIN[:2]:
                yield Example([f"print({name.qualified_name}()({x}))"])
        return
    if name.is_op and name.thing.fields and any(p.name in name.thing.fields for p in needed):
        return
    text = f"{name.qualified_name}()" if name.is_op else name.qualified_name
    if name.path.startswith("Tensor."):
        method = name.path.partition(".")[2]
        for x in _PLAIN:
            if len(needed) == 1:
                yield Example([f"print({x}.{method}())"])
        for x, y in _PAIRS:
            if len(needed) == 2:
                yield Example([f"print({x}.{method}({y}))"])
    elif len(needed) == 1:
        for x in _PLAIN:
            yield Example([f"print({text}({x}))"])
    elif len(needed) == 2:
        for x, y in _PAIRS:
            yield Example([f"print({text}({x}, {y}))"])
    star = [p for p in name.parameters() if p.kind is p.VAR_POSITIONAL]
    if not needed and star and not name.path.startswith("Tensor."):
        for inputs in ("2, 3", "Tensor([1.0, 2.0]), Tensor([3.0, 4.0])", "Tensor([1.0, 2.0])"):
            yield Example([f"print({text}({inputs}))"])
    for x in _PLAIN[:4] if needed and len(needed) < 7 else ():
        values = [_VALUES.get(p.name, x) for p in needed]
        if name.path.startswith("Tensor."):
            yield Example([f"print({x}.{name.path[7:]}({', '.join(values[1:])}))"])
        else:
            yield Example([f"print({text}({', '.join(values)}))"])


def modules() -> None:
    """Import the modules that examples use."""
    for front in FRONTS:
        importlib.import_module(front)
    assert minispore
