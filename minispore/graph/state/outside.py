"""Whose code is whose, and which of it sees what lies outside of Python's objects.

Code of this package, of NumPy and of the standard library is not read. Of the standard library the
modules named here answer by their arguments alone; whatever else a function uses of it (files,
clocks, threads, settings of the process) no graph can do again.
"""

from __future__ import annotations

import functools
import os
import sys
import types
import weakref
from typing import Any

PACKAGE = os.sep.join(os.path.abspath(__file__).split(os.sep)[:-3]) + os.sep

_OURS = ("minispore", "mindspore")
_LIBRARY = sys.stdlib_module_names - {"__main__"}
_LIBRARY_PATH = os.path.dirname(os.__file__) + os.sep

# What they keep, they keep in attributes and containers.
_PURE = frozenset({
    "abc", "argparse", "array", "ast", "base64", "binascii", "bisect", "builtins", "calendar",
    "cmath", "collections", "collections_abc", "colorsys", "configparser", "contextlib", "copy",
    "copyreg", "dataclasses", "datetime", "difflib", "enum", "fractions", "functools", "graphlib",
    "hashlib", "heapq", "html", "itertools", "json", "keyword", "math", "numbers", "operator",
    "optparse", "pprint", "random", "re", "reprlib", "sre", "statistics", "string", "struct",
    "textwrap", "types", "typing", "unicodedata", "weakref", "weakrefset", "zlib",
})  # fmt: skip
# Of a module that sees the frames of a program, what reads a function and no more.
_READS = frozenset({
    "Parameter", "Signature", "getmro", "isbuiltin", "isclass", "iscoroutinefunction",
    "isfunction", "isgeneratorfunction", "ismethod", "ismodule", "isroutine", "signature",
})  # fmt: skip
_CLOCKS = frozenset({"now", "today", "utcnow"})  # of datetime's classes
_BUILTINS = frozenset({open, input, eval, exec, globals, __import__})
_NUMPY = frozenset({
    "fromfile", "genfromtxt", "getbufsize", "geterrcall", "load", "loadtxt", "memmap", "save",
    "savetxt", "savez", "savez_compressed", "set_printoptions", "setbufsize", "seterr",
    "seterrcall",
})  # fmt: skip
# Our own modules whose functions answer by settings that no compiled graph watches.
_SETTINGS = (
    "minispore.communication", "minispore.context", "minispore.core.random",
    "minispore.dataset.config", "minispore.device", "minispore.log", "minispore.mint.distributed",
    "minispore.parallel._algo_parameters", "minispore.parallel._auto_parallel_context",
    "minispore.parallel._cost_model_context",
)  # fmt: skip


def is_outside(module: str) -> bool:
    """Whether ``module`` is one of the standard library that sees what lies outside."""
    if not isinstance(module, str):  # as compiled types answer
        return False
    top = module.partition(".")[0]
    return top in _LIBRARY and top.strip("_") not in _PURE


def leads_outside(value: Any, owner: Any = None, rest: tuple[str, ...] = ()) -> bool:
    """Whether ``value``, held by the module ``owner``, sees or changes what lies outside; ``rest``
    are the attributes that are asked of it.
    """
    if isinstance(value, types.ModuleType) or _is_constant(value):
        return False
    if isinstance(value, types.FunctionType) and (value.__module__ or "").startswith(_SETTINGS):
        return True
    if str(type(value).__module__).startswith("minispore.dataset"):
        return True
    if isinstance(value, weakref.finalize):
        return True
    if isinstance(value, types.BuiltinFunctionType) and value in _BUILTINS:
        return True
    if isinstance(value, type) and value.__module__ == "datetime":
        return bool(_CLOCKS.intersection(rest))
    if getattr(value, "__module__", "") == "inspect" and getattr(value, "__name__", "") in _READS:
        return False
    where = getattr(owner, "__name__", "")
    if where.partition(".")[0] == "numpy" and getattr(value, "__name__", "") in _NUMPY:
        return True
    known = (getattr(x, "__module__", "") for x in (value, type(value)))
    return any(map(is_outside, (where, *known)))


def _is_constant(value: Any) -> bool:
    return isinstance(value, int | float | str | bytes | complex | tuple | type(None))


@functools.lru_cache(maxsize=4096)
def _is_foreign(module: str) -> bool:
    top = module.partition(".")[0].removeprefix("@")
    if top in ("minispore", "mindspore", "numpy", "builtins") or top in _LIBRARY:
        return True
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return "-packages" + os.sep in file and not _is_for_us(top, len(sys.modules))


@functools.lru_cache(maxsize=256)
def _is_for_us(package: str, count: int) -> bool:
    """Whether an installed package is written for this one: some module of it names ours. Of
    ``count`` modules that are imported the answer is one.
    """
    return any(
        str(getattr(held, "__module__", None) or getattr(held, "__name__", "")).startswith(_OURS)
        for name, module in [*sys.modules.items()]
        if name == package or name.startswith(package + ".")
        for held in vars(module).values()
        if isinstance(held, types.ModuleType | types.FunctionType | type)
    )


def is_ours(module: str) -> bool:
    """Whether ``module`` is of this package."""
    return isinstance(module, str) and module.startswith(_OURS)


def is_users(module: str, code: types.CodeType | None = None) -> bool:
    """Whether code of ``module`` is the user's; doctests of this package are, too."""
    if code is not None:
        file = code.co_filename
        if file.startswith((PACKAGE, "<frozen")):
            return False
        if file.startswith(_LIBRARY_PATH) and "-packages" + os.sep not in file:
            return False  # such as what dataclasses writes into users' classes
        return module.startswith(_OURS) or not _is_foreign(module)  # a doctest of ours
    return isinstance(module, str) and not _is_foreign(module)


def is_numpys(value: Any) -> bool:
    """Whether ``value`` is a module, a function or an object of NumPy."""
    where = value.__name__ if isinstance(value, types.ModuleType) else type(value).__module__
    known = str(getattr(value, "__module__", where))
    return "numpy" in (where.partition(".")[0], known.partition(".")[0])


def member_of(module: types.ModuleType, name: str) -> Any:
    """What ``module`` holds; one that is not the user's may open a room at the first look."""
    held = vars(module)
    return held.get(name) if is_users(module.__name__) else getattr(module, name, None)


def made_by(cls: type) -> list[Any]:
    """What runs when an object of ``cls`` is made, and is the user's."""
    names = "__init__", "__new__", "__post_init__"
    return [vars(c).get(n) for c in cls.__mro__ if is_users(c.__module__) for n in names]


__all__ = [
    "PACKAGE",
    "is_numpys",
    "is_ours",
    "is_outside",
    "is_users",
    "leads_outside",
    "made_by",
    "member_of",
]
