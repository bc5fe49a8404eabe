"""docs/compat.md lists the public arguments that no code reads, each with the reason."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compat.md"
HEADING = "## Arguments without an effect\n"
CALL = re.compile(r"`([\w.]+)\(([\w, ]+)\)`")

# A function that several modules have goes by its name in the first of them.
MODULES = (
    "minispore",
    *(
        f"minispore.{name}"
        for name in (
            "nn", "nn.probability.bijector", "nn.probability.distribution", "nn.transformer",
            "ops", "mint", "mint.nn", "mint.nn.functional", "mint.optim", "mint.linalg",
            "mint.special", "mint.distributed", "dataset", "dataset.audio", "dataset.config",
            "dataset.text", "dataset.transforms", "dataset.vision", "train", "train.callback",
            "amp", "communication", "communication.comm_func", "profiler", "mindrecord", "numpy",
            "scipy.linalg", "scipy.optimize", "parallel", "runtime", "hal", "device_context",
            "experimental.optim", "boost", "common.initializer", "rewrite", "utils", "context",
        )
    ),
)  # fmt: skip

# Hooks of one class alone; a method that overrides another is left out by itself.
HOOKS = {"compute_coefficients"}


def iterate_public_functions() -> Iterator[tuple[str, FunctionType]]:
    """Yield the public functions, and the public methods where they are first defined."""
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        prefix = f"{module_name}.".removeprefix("minispore.")
        for name in getattr(module, "__all__", dir(module)):
            value = getattr(module, name, None)
            if inspect.isclass(value):
                for method_name, method in vars(value).items():
                    is_public = method_name == "__init__" or method_name[0] != "_"
                    is_override = method_name != "__init__" and any(
                        method_name in vars(base) for base in value.__mro__[1:]
                    )
                    if is_public and not is_override and method_name not in HOOKS:
                        function = getattr(method, "__func__", method)
                        yield f"{prefix}{name}.{method_name}".removesuffix(".__init__"), function
            elif callable(value):
                yield f"{prefix}{name}", value


def list_unread_arguments(function: Any) -> list[str]:
    """Return the arguments that the body does not read; none if it only raises."""
    function = inspect.unwrap(function)
    if not inspect.isfunction(function) or not function.__module__.startswith("minispore"):
        return []
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):  # made by exec, or a lambda inside an expression
        return []
    node = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)), None)
    if node is None:
        return []
    body = node.body[1:] if ast.get_docstring(node) else node.body
    if all(isinstance(s, ast.Raise | ast.Pass) for s in body):
        return []
    names = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name)}
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    unread = [a.arg for a in arguments if a.arg not in names | {"self", "cls"} and a.arg[0] != "_"]
    return [] if "locals" in names else unread


def find_unread_arguments() -> dict[str, list[str]]:
    """Return the unread arguments of each public function that has some."""
    seen: set[int] = set()
    unread = {}
    for path, function in iterate_public_functions():
        if id(inspect.unwrap(function)) not in seen:
            seen.add(id(inspect.unwrap(function)))
            if arguments := list_unread_arguments(function):
                unread[path] = arguments
    return unread


def test_the_page_lists_each_public_argument_without_an_effect() -> None:
    section = PAGE.read_text(encoding="utf-8").split(HEADING)[1].split("\n## ")[0]
    listed = {path: arguments.split(", ") for path, arguments in CALL.findall(section)}
    assert find_unread_arguments() == listed
    assert len(listed) > 40
