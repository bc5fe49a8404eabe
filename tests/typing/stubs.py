"""Write what editors and type checkers read: ``python -m tests.typing.stubs`` (``make stubs``).

Some fronts gather their names when they are imported, and Tensor gets its methods from the ops;
neither can be read off the sources. The stubs say both as they are. The source of a function that
is a call of an op says little more than that; its stub in a wheel has the words that ``help``
shows. Those stubs lie beside the reference (``make reference``); the ones in the repository have
no docstrings.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import textwrap
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation.alias_table import read_alias_table
from tests.architecture.layers import load_modules
from tests.reference.docstring import Docstring, parse
from tests.reference.names import names
from tests.reference.write import MARK

ROOT = Path(__file__).resolve().parents[2]
HEAD = "# Written by python -m tests.typing.stubs\n"
METHODS_STUB = "minispore/core/tensor_methods.pyi"

# Fronts whose names a checker can't find by itself.
FRONTS = [
    "minispore",
    "minispore.dataset",
    "minispore.dataset.transforms",
    "minispore.dataset.vision",
    "minispore.mint",
    "minispore.mint.nn",
    "minispore.mint.nn.functional",
    "minispore.nn",
    "minispore.nn.layer",
    "minispore.nn.loss",
    "minispore.nn.metrics",
    "minispore.nn.optim",
    "minispore.nn.wrap",
    "minispore.ops",
    "minispore.train",
    "minispore.train.callback",
]
# Of these the functions stand in the stub, with what they do and take.
TOLD = {"minispore.ops", "minispore.mint", "minispore.mint.nn.functional"}
_IMPORTS = """\
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from minispore.core.tensor import Tensor
"""
_KNOWN = {
    "Any", "Callable", "Iterable", "Iterator", "Mapping", "None", "Sequence", "Tensor", "bool",
    "bytes", "complex", "dict", "float", "int", "list", "object", "set", "str", "tuple",
}  # fmt: skip


@cache
def stubs() -> dict[Path, str]:
    """The text of each stub of the repository by its path."""
    _import_all()
    outputs_by_name = {_path(front): _front(front, {}) for front in FRONTS}
    outputs_by_name[ROOT / METHODS_STUB] = _methods({})
    return outputs_by_name


def write_documented_stubs(folder: Path) -> None:
    """Write the stubs that have docstrings in a wheel to ``stubs`` of the reference in ``folder``.

    They stand there as they stand in the wheel.
    """
    _import_all()
    docstrings = _docstrings(folder)
    texts = {_path(front): _front(front, docstrings) for front in sorted(TOLD)}
    texts[ROOT / METHODS_STUB] = _methods(docstrings)  # the last: the Makefile looks at its time
    for path, text in texts.items():
        stub = folder / "stubs" / path.relative_to(ROOT)
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(text, encoding="utf-8")


_MISSING_IN_A_BUILD = re.compile(r"^\s*(?:import|from) (?:mpi4py|pytest)\b", re.MULTILINE)


@cache
def _import_all() -> None:
    # Whatever was imported before, the answer is the same. An extra may not be there, nor pytest
    # where a wheel is built. Their modules are told by their text: to parse all takes seconds.
    for name, module in load_modules().items():
        if not _MISSING_IN_A_BUILD.search(module.path.read_text(encoding="utf-8")):
            importlib.import_module(name)
    for name in read_alias_table():
        importlib.import_module(name)


def _path(front: str) -> Path:
    return ROOT / front.replace(".", "/") / "__init__.pyi"


def _front(name: str, docstrings: dict[int, str]) -> str:
    front = importlib.import_module(name)
    listed = getattr(front, "__all__", None)
    public = listed if listed is not None else [n for n in dir(front) if not n.startswith("_")]
    lines, plain, kinds = [], [], set()
    for public_name in sorted({*public, *_modules(front)} - {"annotations"}):
        thing = getattr(front, public_name)
        home = _home(front, public_name, thing)
        if name in TOLD and inspect.isfunction(thing) and thing in _named() and _is_plain(thing):
            text = docstrings.get(id(thing))
            body = f"\n{_indented(_words(text))}" if text else " ...\n"
            plain.append(f"def {public_name}{_signature(thing)}:{body}")
        elif inspect.isfunction(thing) and thing.__module__ == name:
            plain.append(f"def {public_name}{_signature(thing)}: ...\n")
        elif home is None:
            kind = type(thing)
            plain.append(f"{public_name}: {kind.__name__}\n")
            if kind.__module__ != "builtins":
                kinds.add(f"from {kind.__module__} import {kind.__name__}\n")
        else:
            where, original = home
            # The wheel has stubs of alias modules, a checkout has not.
            is_alias = {where, f"{where}.{original}"} & read_alias_table().keys()
            ignored = "  # type: ignore" if is_alias else ""
            lines.append(f"from {where} import {original} as {public_name}{ignored}\n")
    offered = listed or [n for n in public if not isinstance(getattr(front, n), ModuleType)]
    names = "".join(f'    "{n}",\n' for n in sorted(set(offered) - {"annotations"}))
    all_names = f"\n__all__ = [\n{names}]\n" if names else ""
    if name in TOLD:
        assert not _KNOWN & set(public), "a name of a type means another thing here"
        kinds.add(_IMPORTS)
    elif any("Any" in line for line in plain):
        kinds.add("from typing import Any\n")
    printed = sorted([*kinds, *lines])
    return HEAD + "".join(printed) + ("\n" if plain else "") + "".join(plain) + all_names


def _modules(front: ModuleType) -> list[str]:
    """The rooms that a front names itself; others are its attributes once they are imported."""
    assert front.__file__ is not None
    tree = ast.parse(Path(front.__file__).read_text("utf-8"))
    named = [
        alias.asname or alias.name
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    ]
    named += getattr(front, "_LAZY_MODULES", ())  # those that open at the first look
    return [n for n in named if isinstance(getattr(front, n, None), ModuleType) and n[0] != "_"]


def _home(front: ModuleType, name: str, thing: Any) -> tuple[str, str] | None:
    """The module that defines a thing, and its name there."""
    if isinstance(thing, ModuleType):
        parent, _, leaf = thing.__name__.rpartition(".")
        return (parent, leaf) if parent else None
    where, original = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if isinstance(where, str) and isinstance(original, str) and where.startswith("minispore"):
        module = sys.modules[where]
        if getattr(module, original, None) is thing and where != front.__name__:
            return where, original
    for module_name, module in sorted(sys.modules.items()):
        below = module_name.startswith("minispore.") and module_name not in FRONTS
        if below and vars(module).get(name) is thing and _binds(module, name):
            return module_name, name
    return None


def _binds(module: ModuleType, name: str) -> bool:
    """Whether the source of a module gives a value to the name itself."""
    path = getattr(module, "__file__", None)
    return bool(path) and bool(
        re.search(rf"^{name}\b.*=|^(?:class|def) {name}\b", Path(path).read_text("utf-8"), re.M)
    )


def _methods(docstrings: dict[int, str]) -> str:
    lines = [
        HEAD,
        # Some methods have the names of Python's own types.
        "from builtins import bool as _bool, float as _float, int as _int\n",
        "from collections.abc import Callable\nfrom typing import Any\n\n",
        "from minispore.core.tensor import Tensor\n\n",
        "class TensorMethods:\n",
    ]
    for name, function in sorted(vars(Tensor).items()):
        if inspect.isfunction(function) and function.__module__ != Tensor.__module__:
            text = re.sub(r"\b(bool|float|int)\b", r"_\1", _signature(function, method=True))
            message = docstrings.get(id(function), "").partition("\n\n")[0]
            body = f"\n    {_indented(message)}" if message else " ...\n"
            lines.append(f"    def {name}{text}:{body}")
    return "".join(lines)


# -- words -----------------------------------------------------------------------------------------


@cache
def _named() -> set[Any]:
    """All public things."""
    return {name.thing for name in names()}


def _docstrings(folder: Path) -> dict[int, str]:
    """The docstring of each public thing by its id, as the reference in ``folder`` has it."""
    texts = {
        (path.stem, *entry.partition("\n")[:1]): entry.partition("\n")[2]
        for path in folder.glob("*.txt")
        for entry in path.read_text("utf-8").split(MARK)
    }
    return {id(n.thing): texts[n.front, n.path] for n in names() if (n.front, n.path) in texts}


def _words(docstring: str) -> str:
    """What it does, takes and gives; errors, shapes and an example are for ``help``."""
    message = parse(docstring)
    return Docstring(message.lead, message.args, returns=message.returns).text().rstrip()


def _indented(text: str) -> str:
    inner = textwrap.indent(f'"""{text}"""', "    ")
    return inner.replace("\\", "\\\\").replace('\n"""', '"""') + "\n"


def _is_plain(function: Any) -> bool:
    """Whether its types can be said here."""
    signature = inspect.signature(function)
    message = [*(p.annotation for p in signature.parameters.values()), signature.return_annotation]
    return all(a == "Any" or _annotation(a) != "Any" for a in message if isinstance(a, str))


def _signature(function: Any, method: bool = False) -> str:
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(
            annotation=_Text(_annotation(parameter.annotation)), default=_default(parameter)
        )
        for parameter in signature.parameters.values()
    ]
    if not method:
        text = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
        return f"{text} -> {_annotation(signature.return_annotation)}"
    first = parameters[0]
    if first.kind is not inspect.Parameter.VAR_POSITIONAL:
        kind = inspect.Parameter.POSITIONAL_ONLY
        parameters[0] = first.replace(name="self", kind=kind, annotation=inspect.Parameter.empty)
    else:
        parameters.insert(0, inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY))
    text = str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    text = text.replace("self, /, ", "self, ").replace("self, /)", "self)")
    return f"{text} -> {_annotation(signature.return_annotation)}"


class _Text(str):
    """A text that shows as itself."""

    def __repr__(self) -> str:
        return str(self)


def _annotation(message: Any) -> str:
    text = message if isinstance(message, str) else "Any"
    words = set(re.findall(r"[A-Za-z_][\w.]*", text))
    return text if text and words <= _KNOWN else "Any"


def _default(parameter: inspect.Parameter) -> Any:
    return parameter.default if parameter.default is inspect.Parameter.empty else _Text("...")


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
