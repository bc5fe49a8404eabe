"""The source of a function that ran, and what its expressions are: tensors, numbers, lists, ..."""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from minispore.core.dtype import DType
from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
UNKNOWN = "unknown"
NUMBERS = frozenset({"int", "float", "bool"})


def kind_of(x: Any) -> str:
    """What an object is, in one word."""
    if isinstance(x, Parameter):
        return "parameter"
    if isinstance(x, Tensor):
        return "tensor"
    if hasattr(type(x), "_graph_key_"):
        return "cell"
    for kind, name in _KINDS:
        if isinstance(x, kind):
            return name
    return "none" if x is None else "object"


_KINDS: tuple[tuple[Any, str], ...] = (
    (bool, "bool"), (int, "int"), (float, "float"), (str, "str"), (tuple, "tuple"), (dict, "dict"),
    (list, "list"), (set | frozenset, "set"), (np.ndarray, "array"), (np.generic, "array"),
    (types.ModuleType, "module"), (type, "class"), (DType, "dtype"), (Primitive, "primitive"),
    (types.FunctionType | types.BuiltinFunctionType | types.MethodType, "function"),
)  # fmt: skip


class Source:
    """One function as it ran first.

    Args:
        code: its code.
        namespace: its globals.
        known: its arguments and variables of enclosing functions, by name.
        derived: whether it ran inside a gradient.
        by_jit: whether it is a graph in PYNATIVE_MODE too.
        lenient: whether the graph is LAX under STRICT, too: a jit function's, a derivative's.
    """

    def __init__(
        self,
        code: types.CodeType,
        namespace: dict[str, Any],
        known: dict[str, Any],
        derived: bool,
        by_jit: bool = False,
        lenient: bool = False,
    ) -> None:
        self.code, self.namespace, self.known = code, namespace, known
        self.derived, self.by_jit, self.lenient = derived, by_jit, lenient
        self.held: dict[str, list[Any]] = {}  # attributes of self that it writes, after each call
        self.aliases: dict[int, set[str]] = {}  # names of one tensor that a line adds to
        self.file, self.node = code.co_filename, _node_of(code.co_filename, code)
        self.name, self.parents = code.co_name, _parents(self.file)
        n = code.co_argcount + code.co_kwonlyargcount
        self.arguments = code.co_varnames[:n]
        first = next(iter(self.arguments), "")
        self.owner = known.get(first) if first in ("self", "cls") else None
        self.owners = {id(self.owner): self.owner}  # each object that it ran for
        self.before = {name: kind_of(held) for name, held in held_by(self.owner).items()}
        self.begun = {name: content(held_by(self.owner).get(name)) for name in self.writes}

    def note(self) -> None:
        """Look at the attributes that it writes, after a call."""
        for name in self.writes:
            self.held.setdefault(name, []).append(content(held_by(self.owner).get(name)))

    def varies(self, name: str) -> bool:
        """Whether an attribute of self held other things after other calls, as far as was seen."""
        seen = self.held.get(name, [])
        return len(seen) < 2 or any(x != seen[0] for x in seen)

    def changes(self, name: str) -> bool:
        """Whether an attribute of self held something else after a call than before the first."""
        return any(x != self.begun.get(name) for x in self.held.get(name, []))

    # -- walking -----------------------------------------------------------------------------------

    def walk(self, *kinds: type) -> Iterator[Any]:
        """The nodes of the function, of these kinds, in order."""
        for node in _ordered(self.node, tuple(getattr(self.node, "decorator_list", ()))):
            if not kinds or isinstance(node, kinds):
                yield node

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """Calls of plain names and methods that are called one of ``names``."""
        for node in self.walk(ast.Call):
            if called(node) in names:
                yield node

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """What encloses ``node``, from inside, up to the function."""
        while node is not self.node and node in self.parents:
            node = self.parents[node]
            yield node

    def within(self, node: ast.AST, *kinds: type) -> bool:
        """Whether ``node`` stands in one of ``kinds``."""
        return any(isinstance(up, kinds) for up in self.above(node))

    @functools.cached_property
    def loads(self) -> list[ast.Name]:
        return [n for n in self.walk(ast.Name) if isinstance(n.ctx, ast.Load)]

    @functools.cached_property
    def stores(self) -> dict[str, list[ast.Name]]:
        """Where each local name is bound."""
        found: dict[str, list[ast.Name]] = {}
        for n in self.walk(ast.Name):
            if isinstance(n.ctx, ast.Store):
                found.setdefault(n.id, []).append(n)
        return found

    @functools.cached_property
    def writes(self) -> set[str]:
        """The names of attributes of self that it may write."""
        if self.owner is None:
            return set()
        found = {n.attr for n in self.walk(ast.Attribute) if _is_self(n.value)}
        named = {n.value for n in self.walk(ast.Constant) if isinstance(n.value, str)}
        return {n for n in found | named if n in held_by(self.owner) or n in found}

    # -- what things are ---------------------------------------------------------------------------

    def value(self, node: ast.AST) -> Any:
        """What a name or attribute stands for before the function runs; else ``UNKNOWN``."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in self.stores:
                return UNKNOWN
            for held in (self.known, self.namespace, builtins.__dict__):
                if node.id in held:
                    return held[node.id]
            return UNKNOWN
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value)
            if owner is UNKNOWN or isinstance(owner, Tensor):
                return UNKNOWN
            try:
                return getattr(owner, node.attr)
            except Exception:
                return UNKNOWN
        return UNKNOWN

    def kind(self, node: ast.AST, before: int | None = None) -> str:
        """What an expression is, as far as its text tells."""
        if isinstance(node, ast.Name) and node.id in self.stores:
            return self._kind_of_local(node)
        known = self.value(node)
        if known is not UNKNOWN:
            return kind_of(known)
        if isinstance(node, ast.IfExp):
            kinds = {self.kind(node.body), self.kind(node.orelse)}
            return kinds.pop() if len(kinds) == 1 else UNKNOWN
        rule = getattr(self, f"_kind_{type(node).__name__}", None)
        return rule(node) if rule is not None else UNKNOWN

    def _kind_of_local(self, node: ast.Name) -> str:
        kinds = [
            self._kind_bound(store)
            for store in self.stores[node.id]
            if store.lineno < node.lineno
            or (store.lineno == node.lineno and isinstance(node.ctx, ast.Store))
        ]
        if node.id in self.arguments and node.id in self.known:
            kinds.insert(0, kind_of(self.known[node.id]))
        if not kinds:
            return UNKNOWN
        return "tensor" if "tensor" in kinds else kinds[-1]

    def _kind_bound(self, store: ast.Name) -> str:
        """What the statement that binds ``store`` gives it."""
        if store in self._busy:
            return UNKNOWN
        self._busy.add(store)
        try:
            up = self.parents.get(store)
            given = getattr(up, "value", None)
            if isinstance(up, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.AugAssign) and given:
                return self.kind(given)
            if isinstance(up, ast.For | ast.comprehension):
                over, held = self.kind(up.iter), self.value(up.iter)
                if isinstance(held, list | tuple) and held:
                    return kind_of(held[0])
                if over in ("tensor", "parameter"):
                    return "tensor"
                if isinstance(up.iter, ast.Call) and called(up.iter) == "range":
                    return "int"
                made = self.made(up.iter)
                if isinstance(made, ast.List | ast.Tuple) and made.elts:
                    return self.kind(made.elts[0])
            if isinstance(up, ast.Tuple):
                whole = self.parents.get(up)
                made = self.made(whole.value) if isinstance(whole, ast.Assign) else up
                if made is not up and isinstance(made, ast.List | ast.Tuple):
                    at = up.elts.index(store)
                    if at < len(made.elts):
                        return self.kind(made.elts[at])
            return UNKNOWN
        finally:
            self._busy.discard(store)

    @functools.cached_property
    def _busy(self) -> set[ast.AST]:
        return set()

    def _kind_BinOp(self, node: ast.BinOp) -> str:
        kinds = {self.kind(node.left), self.kind(node.right)}
        if kinds & {"tensor", "parameter"}:
            return "tensor"
        if UNKNOWN in kinds:
            return UNKNOWN
        for kind in ("array", "str", "list", "tuple", "float"):
            if kind in kinds:
                return kind
        return "int" if kinds <= NUMBERS else UNKNOWN

    def _kind_UnaryOp(self, node: ast.UnaryOp) -> str:
        return "bool" if isinstance(node.op, ast.Not) else self.kind(node.operand)

    def _kind_Compare(self, node: ast.Compare) -> str:
        sides = {self.kind(x) for x in (node.left, *node.comparators)}
        if isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
            return "bool"
        return "tensor" if sides & {"tensor", "parameter"} else "bool"

    def _kind_Call(self, node: ast.Call) -> str:
        fn = self.value(node.func)
        if fn is not UNKNOWN:
            if isinstance(fn, type):
                return "tensor" if issubclass(fn, Tensor) else _MADE.get(fn.__name__, "object")
            module = getattr(fn, "__module__", "") or ""
            if kind_of(fn) in ("cell", "primitive"):
                return "tensor" if module.startswith(("minispore", "mindspore")) else UNKNOWN
            if module.startswith(("minispore.ops", "minispore.mint")):
                name = getattr(fn, "__name__", "")
                return "tensor" if name not in ("shape", "rank", "size") else UNKNOWN
            if module.startswith("numpy"):
                return "array"
            return _MADE.get(getattr(fn, "__name__", ""), UNKNOWN)
        if isinstance(node.func, ast.Attribute):
            on = self.kind(node.func.value)
            if on in ("tensor", "parameter"):
                return _OF_TENSOR.get(node.func.attr, "tensor")
            if on == "str":
                return "str" if node.func.attr in _STRINGS else UNKNOWN
        return UNKNOWN

    def _kind_Subscript(self, node: ast.Subscript) -> str:
        on = self.kind(node.value)
        if on in ("tensor", "parameter"):
            return "tensor"
        made: Any = self.made(node.value)
        parts = getattr(made, "elts", None) or getattr(made, "values", None)
        return self.kind(parts[0]) if parts else UNKNOWN

    def made(self, node: ast.AST) -> ast.AST:
        """The display that a local name was bound to, once."""
        stores = self.stores.get(node.id, []) if isinstance(node, ast.Name) else []
        value = getattr(self.parents.get(stores[0]), "value", node) if len(stores) == 1 else node
        return value if isinstance(value, ast.List | ast.Tuple | ast.Dict) else node

    def _kind_Attribute(self, node: ast.Attribute) -> str:
        if self.kind(node.value) in ("tensor", "parameter"):
            return {"shape": "tuple", "ndim": "int", "size": "int", "dtype": "dtype"}.get(
                node.attr, "tensor" if node.attr == "T" else UNKNOWN
            )
        return UNKNOWN

    def _kind_List(self, node: ast.List) -> str:
        return "list"

    _kind_ListComp = _kind_List

    def _kind_Tuple(self, node: ast.Tuple) -> str:
        return "tuple"

    def _kind_Dict(self, node: ast.Dict) -> str:
        return "dict"

    _kind_DictComp = _kind_Dict

    def _kind_Set(self, node: ast.Set) -> str:
        return "set"

    def _kind_JoinedStr(self, node: ast.JoinedStr) -> str:
        return "str"

    def _kind_Lambda(self, node: ast.Lambda) -> str:
        return "function"


_MADE = {
    "list": "list", "dict": "dict", "tuple": "tuple", "set": "set", "str": "str", "int": "int",
    "float": "float", "bool": "bool", "len": "int", "range": "range", "Parameter": "parameter",
}  # fmt: skip
_OF_TENSOR = {
    "asnumpy": "array", "numpy": "array", "tolist": "list", "item": "number", "dim": "int",
    "numel": "int", "ndimension": "int", "split": "tuple", "chunk": "tuple", "unbind": "tuple",
    "topk": "tuple",
}  # fmt: skip
_STRINGS = {"lower", "upper", "replace", "join", "strip", "format"}


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def content(x: Any) -> Any:
    """What can be compared later."""
    if isinstance(x, Tensor):
        data = x.value_.data
        return id(x) if data is None else (data.shape, data.dtype.str, data.tobytes())
    if isinstance(x, list | tuple):
        return [content(v) for v in x]
    if isinstance(x, dict):
        return {k: content(v) for k, v in x.items()}
    return x if isinstance(x, int | float | str | type(None)) else id(x)


def held_by(owner: Any) -> dict[str, Any]:
    """The attributes of an object, those that a Cell registers included."""
    own = getattr(owner, "__dict__", {})
    registered = [own.get(r, {}) for r in ("_params", "_cells", "_buffers")]
    return {name: x for held in (*registered, own) for name, x in held.items()}


def called(node: ast.AST) -> str:
    """The last name of what a call calls; the empty text for anything else."""
    if isinstance(node, ast.Call):
        fn = node.func
        return fn.id if isinstance(fn, ast.Name) else getattr(fn, "attr", "")
    return ""


def _ordered(top: ast.AST, without: tuple[ast.AST, ...] = ()) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(top):
        if child not in without:
            yield child
            yield from _ordered(child)


@functools.lru_cache(maxsize=256)
def tree_of(file: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(file)), file)
    except SyntaxError:
        return None


@functools.lru_cache(maxsize=256)
def _parents(file: str) -> dict[ast.AST, ast.AST]:
    tree = tree_of(file)
    if tree is None:
        return {}
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _node_of(file: str, code: types.CodeType) -> Function:
    """The function in the file that ``code`` was made of."""
    tree = tree_of(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Lambda):
            named = code.co_name == "<lambda>"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            named = code.co_name == node.name
        else:
            continue
        decorators = getattr(node, "decorator_list", [])
        begins = decorators[0].lineno if decorators else node.lineno
        arguments = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        n = code.co_argcount + code.co_kwonlyargcount
        if named and begins == code.co_firstlineno and arguments.issuperset(code.co_varnames[:n]):
            return node
    empty = ast.parse("def _(): pass").body[0]
    assert isinstance(empty, ast.FunctionDef)
    return empty


__all__ = ["NUMBERS", "UNKNOWN", "Source", "called", "content", "held_by", "kind_of", "tree_of"]
