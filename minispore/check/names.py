"""Find MindSpore names in a script that the chosen version of MindSpore does not have."""

from __future__ import annotations

import ast
import functools
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from minispore.check.versions import MISSING_NAMES, VERSIONS

#: Names removed before the oldest of ``VERSIONS``, with their replacements.
REMOVED_NAMES = {
    "mindspore.ops.control_depend": "mindspore.ops.depend",
    "mindspore.ops.ControlDepend": "mindspore.ops.depend",
    "mindspore.nn.LearningRateSchedule": (
        "mindspore.nn.learning_rate_schedule.LearningRateSchedule"
    ),
    "mindspore.dataset.DatasetHelper": "mindspore.DatasetHelper",
}
_ALIAS_MODULES = {"mindspore.ops.operations": "mindspore.ops", "minispore": "mindspore"}


def find_missing_names(
    tree: ast.Module, version: str = VERSIONS[-1]
) -> Iterator[tuple[int, str, str]]:
    """Yield line, path and replacement of each name in a module that ``version`` does not have.

    Names whose existence the script itself tests are left out.

    >>> list(find_missing_names(ast.parse("from mindspore import ms_function as f")))
    [(1, 'mindspore.ms_function', 'mindspore.jit')]
    >>> list(find_missing_names(ast.parse("import mindspore as ms; ms.ops.swiglu"), "1.10"))
    [(1, 'mindspore.ops.swiglu', 'nothing of this name before MindSpore 2.10')]
    """
    missing, guarded_nodes = _map_missing_names(version), _find_guarded_nodes(tree)
    imported_paths: dict[str, str] = {}
    for node in ast.walk(tree):
        if node in guarded_nodes:
            continue
        if isinstance(node, ast.Import):
            for name in node.names:
                imported_paths[name.asname or name.name.split(".")[0]] = _replace_alias_module(
                    name.name if name.asname else name.name.split(".")[0]
                )
                yield from _yield_missing_prefix(node.lineno, name.name, missing)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                path = f"{node.module}.{name.name}"
                imported_paths[name.asname or name.name] = _replace_alias_module(path)
                yield from _yield_missing_prefix(node.lineno, path, missing)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node not in guarded_nodes:
            first_name, _, attributes = ast.unparse(node).partition(".")
            if first_name in imported_paths:
                path = f"{imported_paths[first_name]}.{attributes}"
                if _replace_alias_module(path) in missing:  # only the full chain, once
                    yield from _yield_missing_prefix(node.lineno, path, missing)


@contextmanager
def record_reached_lines(script: str, version: str) -> Iterator[dict[str, set[int]]]:
    """Record the lines that run inside the ``with`` block in files that use names missing in
    ``version``.

    Yields the lines by the real path of the file. Since tracing costs time, nothing is traced if
    neither the script nor a file in its folder or subfolders uses a missing name, or if a debugger
    traces the process.
    """
    reached_lines: dict[str, set[int]] = {}
    if sys.gettrace() is None:
        reached_lines |= {f: set() for f in _find_files_with_missing_names(Path(script), version)}
    if not reached_lines:
        yield reached_lines
        return
    real_path = functools.cache(os.path.realpath)

    def trace_call(frame: FrameType, event: str, arg: Any) -> Any:
        """Return ``trace_line``, which traces lines, for calls in the recorded files."""
        return trace_line if real_path(frame.f_code.co_filename) in reached_lines else None

    def trace_line(frame: FrameType, event: str, arg: Any) -> Any:
        """Record the line that runs."""
        reached_lines[real_path(frame.f_code.co_filename)].add(frame.f_lineno)
        return trace_line

    threading.settrace(trace_call)
    sys.settrace(trace_call)
    try:
        yield reached_lines
    finally:
        sys.settrace(None)
        threading.settrace(None)


def _find_files_with_missing_names(script: Path, version: str) -> Iterator[str]:
    """Yield the real paths of the script, and of files in its folder and subfolders, that use
    missing names.
    """
    last_names = {path.rpartition(".")[2] for path in _map_missing_names(version)}
    folder = script.absolute().parent
    for file in {script, *folder.glob("*.py"), *folder.glob("*/*.py")}:
        try:
            text = file.read_text(encoding="utf-8")
            if last_names.isdisjoint(re.findall(r"\w+", text)):
                continue
            if any(find_missing_names(ast.parse(text), version)):
                yield os.path.realpath(file)
        except (OSError, SyntaxError, ValueError):
            continue


def _find_guarded_nodes(tree: ast.Module) -> set[ast.AST]:
    """Return all nodes of statements that test whether a name exists.

    These are conditions on the version or with ``hasattr``, and ``try`` statements that handle the
    error of a missing name.
    """
    nodes: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            handled_types = " ".join(
                ast.unparse(h.type) if h.type else _MISSING_NAME_ERRORS[0] for h in node.handlers
            )
            is_guard = any(error in handled_types for error in _MISSING_NAME_ERRORS)
        elif isinstance(node, ast.If | ast.IfExp):
            is_guard = any(
                word in ast.unparse(node.test).lower() for word in ("hasattr(", "version")
            )
        else:
            continue
        if is_guard:
            nodes.update(ast.walk(node))
    return nodes


_MISSING_NAME_ERRORS = ("Exception", "ImportError", "ModuleNotFoundError", "AttributeError")


@functools.cache
def _map_missing_names(version: str) -> dict[str, str]:
    """Map each name that ``version`` does not have to its replacement."""
    replacements = dict(REMOVED_NAMES)
    for module, names in MISSING_NAMES[version].items():
        for entry in names.split():
            name, _, replacement = entry.partition("=")
            path = f"{module}.{name}"
            replacements[path] = (
                replacement.replace("~", " ")
                if replacement
                else _describe_availability(path, version)
            )
    return replacements


def _describe_availability(path: str, version: str) -> str:
    """Return a note on ``path`` that names the first later version that has it, or says that none
    has it.
    """
    later_versions = VERSIONS[VERSIONS.index(version) + 1 :]
    for later_version in later_versions:
        if path not in _list_missing_paths(later_version):
            return f"nothing of this name before MindSpore {later_version}"
    return "nothing of this name any more"


@functools.cache
def _list_missing_paths(version: str) -> frozenset[str]:
    """Return the full paths of the names that ``version`` does not have."""
    return frozenset(
        f"{module}.{entry.partition('=')[0]}"
        for module, names in MISSING_NAMES[version].items()
        for entry in names.split()
    )


def _replace_alias_module(path: str) -> str:
    """Replace an alias module at the beginning of ``path`` by the module that it refers to."""
    for alias, module in _ALIAS_MODULES.items():
        if path == alias or path.startswith(alias + "."):
            path = module + path[len(alias) :]
    return path


def _yield_missing_prefix(
    line: int, path: str, missing: dict[str, str]
) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and replacement of the shortest missing prefix of ``path``, if any."""
    components = _replace_alias_module(path).split(".")
    for n in range(2, len(components) + 1):
        name = ".".join(components[:n])
        if name in missing:
            yield line, name, missing[name]
            return


__all__ = ["REMOVED_NAMES", "find_missing_names", "record_reached_lines"]
