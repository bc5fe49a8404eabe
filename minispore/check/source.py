"""Describe a function that ran in a graph: its syntax tree, and the kinds of its expressions."""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import types
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.ir.dtype import DType

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Position = tuple[int | None, int | None, int | None, int | None]  # lines and columns, as in code
UNKNOWN = "unknown"
NUMBER_KINDS = frozenset({"int", "float", "bool"})


def classify_object(x: Any) -> str:
    """Return the kind of an object in one word, such as ``tensor``, ``cell`` or ``int``."""
    if isinstance(x, Parameter):
        return "parameter"
    if isinstance(x, Tensor):
        return "tensor"
    if hasattr(type(x), "_graph_key_"):
        return "cell"
    for classes, name in _KINDS_BY_TYPE:
        if isinstance(x, classes):
            return name
    return "none" if x is None else "object"


_KINDS_BY_TYPE: tuple[tuple[Any, str], ...] = (
    (bool, "bool"), (int, "int"), (float, "float"), (str, "str"), (tuple, "tuple"), (dict, "dict"),
    (list, "list"), (set | frozenset, "set"), (np.ndarray, "array"), (np.generic, "array"),
    (types.ModuleType, "module"), (type, "class"), (bytes, "bytes"), (DType, "dtype"),
    (Primitive, "primitive"),
    (types.FunctionType | types.BuiltinFunctionType | types.MethodType, "function"),
)  # fmt: skip


class TracedFunction:
    """A function that ran in a graph, with its syntax tree and its arguments at the first call.

    The rules search the tree, and query the values and kinds of expressions.

    Args:
        code: its code object.
        namespace: its globals.
        initial_values: its arguments and the variables of enclosing functions, by name.
        is_differentiated: whether it ran inside a gradient.
        compiled_by_jit: whether it is a graph in PYNATIVE_MODE, too.
        is_lax: whether its graph is LAX even under STRICT, as for a jit function or a derivative.
        is_entry: whether it is the ``construct`` of the Cell that was called as a graph.
        is_defined_in_graph: whether another function that ran in the graph defines it.
        companions: all functions that ran in graphs of the run, also those that are added later.
    """

    def __init__(
        self,
        code: types.CodeType,
        namespace: dict[str, Any],
        initial_values: dict[str, Any],
        is_differentiated: bool,
        compiled_by_jit: bool = False,
        is_lax: bool = False,
        is_entry: bool = False,
        is_defined_in_graph: bool = False,
        companions: Collection[TracedFunction] = (),
    ) -> None:
        self.code, self.namespace, self.initial_values = code, namespace, initial_values
        self.is_differentiated = is_differentiated
        self.compiled_by_jit, self.is_lax = compiled_by_jit, is_lax
        self.companions = companions
        self.is_entry, self.is_defined_in_graph = is_entry, is_defined_in_graph
        self.attribute_history: dict[str, list[Any]] = {}  # contents after each call, by name
        self.local_kinds: dict[str, set[Any]] = {}  # kinds and shapes at the end of each call
        self.call_sites: set[tuple[types.CodeType | None, int]] = set()  # callers and their lines
        self.aliases: dict[int, set[str]] = {}  # names of a tensor that a line changes in place
        self.late_aliases: dict[int, set[str]] = {}  # in containers, and of ops left out
        self.late_keys: dict[int, dict[str, set[Any]]] = {}  # their keys in those containers
        self.in_place_lines: set[int] = set()  # lines that changed a tensor in place
        self.outside_writes: set[int] = set()  # lines whose tensor the caller may read later
        self.changing_lines: set[int] = set()  # lines whose in-place operator changed an element
        self.assumes_branches = False  # while rules are asked about the branches of this run alone
        self.outcomes: dict[Position, set[bool]] = {}  # truth values of tensors, by expression
        self.file, self.node = code.co_filename, _find_function_node(code.co_filename, code)
        self.name, self.parents = code.co_name, _map_parents(self.file)
        self.arguments = list_argument_names(code)
        first_name = next(iter(self.arguments), "")
        self.instance = initial_values.get(first_name) if first_name in ("self", "cls") else None
        self.instances = {id(self.instance): self.instance}  # all objects on which it ran
        self.attribute_kinds = {
            name: classify_object(value)
            for name, value in collect_attributes(self.instance).items()
        }
        self.initial_contents = {
            name: make_comparable(collect_attributes(self.instance).get(name))
            for name in self.named_attributes
        }

    def record_attributes(self) -> None:
        """Record, after a call, the contents of the attributes of self that the function names."""
        for name in self.named_attributes:
            self.attribute_history.setdefault(name, []).append(
                make_comparable(collect_attributes(self.instance).get(name))
            )

    def record_locals(self, frame_locals: dict[str, Any]) -> None:
        """Record the kinds of the local names, and the shapes of tensors, at the end of a call."""
        for name, value in frame_locals.items():
            shape = tuple(value.shape) if isinstance(value, Tensor) else None
            self.local_kinds.setdefault(name, set()).add((classify_object(value), shape))

    def get_outcome(self, test: ast.expr) -> bool | None:
        """Return the truth value of a tensor that decides a branch if the run found only one;
        otherwise None.
        """
        position = (test.lineno, test.end_lineno, test.col_offset, test.end_col_offset)
        outcomes = self.outcomes.get(position, set())
        return next(iter(outcomes)) if len(outcomes) == 1 else None

    def get_local_kind(self, name: str) -> tuple[str, tuple[int, ...] | None]:
        """Return the kind and shape of a local name if they are the same in all calls; else
        ``UNKNOWN``.
        """
        parents = [self.parents.get(store) for store in self.stores.get(name, ())]
        bindings = [p for p in parents if not isinstance(p, ast.AugAssign)]
        kinds = self.local_kinds.get(name, set())
        is_bound_once = len(bindings) + (name in self.arguments) == 1
        return next(iter(kinds)) if is_bound_once and len(kinds) == 1 else (UNKNOWN, None)

    def varies_between_calls(self, name: str) -> bool:
        """Whether an attribute of self differed between calls, or was recorded less than twice."""
        contents = self.attribute_history.get(name, [])
        return len(contents) < 2 or any(x != contents[0] for x in contents)

    def is_attribute_changed(self, name: str) -> bool:
        """Whether an attribute of self differs from its initial content, or did after a call."""
        current_content = make_comparable(collect_attributes(self.instance).get(name))
        contents = [*self.attribute_history.get(name, []), current_content]
        return any(x != self.initial_contents.get(name) for x in contents)

    # -- walking -----------------------------------------------------------------------------------

    def walk(self, *node_types: type) -> Iterator[Any]:
        """Yield the function's nodes of these types (all nodes if none are given) in source order,
        without decorators.
        """
        for node in _walk_in_order(self.node, tuple(getattr(self.node, "decorator_list", ()))):
            if not node_types or isinstance(node, node_types):
                yield node

    def find_calls(self, *names: str) -> Iterator[ast.Call]:
        """Yield the calls of functions and methods whose last name is one of ``names``."""
        for node in self.walk(ast.Call):
            if get_called_name(node) in names:
                yield node

    def iterate_ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around ``node``, from the innermost to the function itself."""
        while node is not self.node and node in self.parents:
            node = self.parents[node]
            yield node

    def is_inside(self, node: ast.AST, *node_types: type) -> bool:
        """Whether a node of one of these types encloses ``node`` in the function."""
        return any(isinstance(ancestor, node_types) for ancestor in self.iterate_ancestors(node))

    @functools.cached_property
    def loads(self) -> list[ast.Name]:
        """The nodes that read a local or global name."""
        return [n for n in self.walk(ast.Name) if isinstance(n.ctx, ast.Load)]

    @functools.cached_property
    def stores(self) -> dict[str, list[ast.Name]]:
        """The nodes that bind each local name."""
        nodes: dict[str, list[ast.Name]] = {}
        for n in self.walk(ast.Name):
            if isinstance(n.ctx, ast.Store):
                nodes.setdefault(n.id, []).append(n)
        return nodes

    @functools.cached_property
    def named_attributes(self) -> set[str]:
        """The attributes of self that the function names, in code or in string constants, as for
        setattr.

        Empty without an instance.
        """
        if self.instance is None:
            return set()
        attributes = {n.attr for n in self.walk(ast.Attribute) if _is_self(n.value)}
        constants = {n.value for n in self.walk(ast.Constant) if isinstance(n.value, str)}
        return {
            n
            for n in attributes | constants
            if n in collect_attributes(self.instance) or n in attributes
        }

    def is_returned_unchanged(self, node: ast.AST) -> bool:
        """Whether the value of an expression, or an item of it, is returned without an op applied
        to it.
        """
        parent = self.parents.get(node)
        if isinstance(parent, ast.BinOp):
            is_idle = isinstance(parent.op, ast.Add) and ast.unparse(parent.right) == "0"
            return is_idle and self.is_returned_unchanged(parent)
        if isinstance(parent, ast.Subscript | ast.Tuple | ast.List):
            return self.is_returned_unchanged(parent)
        if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
            name, line = parent.targets[0].id, parent.lineno
            later_loads = [n for n in self.loads if n.id == name and n.lineno > line]
            is_changed = any(
                isinstance(getattr(self.parents.get(n), "ctx", None), ast.Store)
                for n in later_loads
            )
            return not is_changed and any(map(self.is_returned_unchanged, later_loads))
        return isinstance(parent, ast.Return)

    # -- values and kinds of expressions -----------------------------------------------------------

    def resolve_value(self, node: ast.AST) -> Any:
        """Return the object that a constant, name or attribute refers to before the function runs.

        Returns:
            ``UNKNOWN`` for other expressions, local names and attributes of tensors.
        """
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in self.stores:
                return UNKNOWN
            for scope in (self.initial_values, self.namespace, builtins.__dict__):
                if node.id in scope:
                    return scope[node.id]
            return UNKNOWN
        if isinstance(node, ast.Attribute):
            base = self.resolve_value(node.value)
            if base is UNKNOWN or isinstance(base, Tensor):
                return UNKNOWN
            try:
                return getattr(base, node.attr)
            except Exception:
                return UNKNOWN
        return UNKNOWN

    def evaluate(self, node: ast.expr, **names: Any) -> Any:
        """Return the value of an expression of constants and ``names``; ``UNKNOWN`` for other
        expressions.
        """
        for n in ast.walk(node):
            if isinstance(n, ast.Call) and get_called_name(n) not in _PURE_FUNCTIONS:
                return UNKNOWN
            if isinstance(n, ast.Attribute) and not isinstance(n.value, ast.Constant):
                return UNKNOWN
            if not isinstance(n, _CONSTANT_NODES) or isinstance(n, ast.Pow | ast.LShift):
                return UNKNOWN
            if isinstance(n, ast.FormattedValue) and (n.format_spec or n.conversion != -1):
                return UNKNOWN  # a graph ignores it
        scope = dict(names)
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and n.id not in scope:
                literal = self.resolve_literal(n)
                value = self.resolve_value(n) if literal is n else self.evaluate(literal)  # type: ignore[arg-type]
                is_constant = isinstance(value, int | float | str | tuple | list | type(len) | type)
                if value is UNKNOWN or not is_constant:
                    return UNKNOWN
                scope[n.id] = value
        try:
            code = compile(ast.Expression(node), "<constant>", "eval")
            return eval(code, {"__builtins__": {}}, scope)
        except Exception:
            return UNKNOWN

    def infer_kind(self, node: ast.AST) -> str:
        """Return the kind of an expression as far as the source shows it, otherwise ``UNKNOWN``."""
        if isinstance(node, ast.Name) and node.id in self.stores:
            return self._infer_kind_of_local(node)
        value = self.resolve_value(node)
        if value is not UNKNOWN:
            return classify_object(value)
        if isinstance(node, ast.IfExp):
            kinds = {self.infer_kind(node.body), self.infer_kind(node.orelse)}
            return kinds.pop() if len(kinds) == 1 else UNKNOWN
        infer = getattr(self, f"_infer_kind_{type(node).__name__}", None)
        return infer(node) if infer is not None else UNKNOWN

    def _infer_kind_of_local(self, node: ast.Name) -> str:
        """Return the kind of a local name from the statements that bind it before ``node``.

        A name that one of them binds to a tensor is a tensor; otherwise the last one decides.
        """
        kinds = [
            self._infer_kind_of_store(store)
            for store in self.stores[node.id]
            if store.lineno < node.lineno
            or (store.lineno == node.lineno and isinstance(node.ctx, ast.Store))
            or self.is_comprehension_variable(store, node)
        ]
        if node.id in self.arguments and node.id in self.initial_values:
            kinds.insert(0, classify_object(self.initial_values[node.id]))
        if not kinds or kinds == [UNKNOWN]:
            return self.get_local_kind(node.id)[0]
        return "tensor" if "tensor" in kinds else kinds[-1]

    def is_comprehension_variable(self, store: ast.Name, node: ast.Name) -> bool:
        """Whether ``store`` binds the variable of a comprehension that contains ``node``."""
        comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        return isinstance(self.parents.get(store), ast.comprehension) and any(
            isinstance(ancestor, comprehensions) and ancestor in self.iterate_ancestors(node)
            for ancestor in self.iterate_ancestors(store)
        )

    def _infer_kind_of_store(self, store: ast.Name) -> str:
        """Return the kind of the value that a statement binds to ``store``; unknown for cycles."""
        if store in self._nodes_in_progress:
            return UNKNOWN
        self._nodes_in_progress.add(store)
        try:
            parent = self.parents.get(store)
            value = getattr(parent, "value", None)
            if (
                isinstance(parent, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.AugAssign)
                and value
            ):
                return self.infer_kind(value)
            if isinstance(parent, ast.For | ast.comprehension):
                iterable = self.resolve_value(parent.iter)
                if isinstance(iterable, list | tuple) and iterable:
                    return classify_object(iterable[0])
                if self.infer_kind(parent.iter) in ("tensor", "parameter"):
                    return "tensor"
                if isinstance(parent.iter, ast.Call) and get_called_name(parent.iter) == "range":
                    return "int"
                literal = self.resolve_literal(parent.iter)
                if isinstance(literal, ast.List | ast.Tuple) and literal.elts:
                    return self.infer_kind(literal.elts[0])
            assignment = self.parents.get(parent) if isinstance(parent, ast.Tuple) else None
            if isinstance(parent, ast.Tuple) and isinstance(assignment, ast.Assign):
                index, literal = parent.elts.index(store), self.resolve_literal(assignment.value)
                if isinstance(literal, ast.List | ast.Tuple) and index < len(literal.elts):
                    return self.infer_kind(literal.elts[index])
            return UNKNOWN
        finally:
            self._nodes_in_progress.discard(store)

    @functools.cached_property
    def _nodes_in_progress(self) -> set[ast.AST]:
        """The nodes whose kinds are being inferred, to detect cycles."""
        return set()

    def _infer_kind_BinOp(self, node: ast.BinOp) -> str:
        """Return the kind of an arithmetic result: a tensor if either operand is a tensor."""
        kinds = {self.infer_kind(node.left), self.infer_kind(node.right)}
        if kinds & {"tensor", "parameter"}:
            return "tensor"
        if UNKNOWN in kinds:
            return UNKNOWN
        for kind in ("array", "str", "list", "tuple", "float"):
            if kind in kinds:
                return kind
        return "int" if kinds <= NUMBER_KINDS else UNKNOWN

    def _infer_kind_UnaryOp(self, node: ast.UnaryOp) -> str:
        """Return "bool" for ``not``, otherwise the kind of the operand."""
        return "bool" if isinstance(node.op, ast.Not) else self.infer_kind(node.operand)

    def _infer_kind_Compare(self, node: ast.Compare) -> str:
        """Return "tensor" for a comparison of tensors, "bool" for other comparisons, ``is`` and
        ``in``.
        """
        sides = {self.infer_kind(x) for x in (node.left, *node.comparators)}
        if isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
            return "bool"
        return "tensor" if sides & {"tensor", "parameter"} else "bool"

    def _infer_kind_Call(self, node: ast.Call) -> str:
        """Return the kind of a call's result, from the called object or the name of the method."""
        if get_called_name(node.func) == "partial" and node.func.args:  # type: ignore[attr-defined]
            return self._infer_kind_Call(ast.Call(node.func.args[0], node.args, []))  # type: ignore[attr-defined]
        fn = self.resolve_value(node.func)
        if fn is not UNKNOWN:
            if isinstance(fn, type):
                is_tensor = issubclass(fn, Tensor)
                return "tensor" if is_tensor else _RESULT_KINDS.get(fn.__name__, "object")
            module = getattr(fn, "__module__", "") or ""
            if classify_object(fn) in ("cell", "primitive"):
                return "tensor" if module.startswith(("minispore", "mindspore")) else UNKNOWN
            if module.startswith(("minispore.ops", "minispore.mint")):
                name = getattr(fn, "__name__", "")
                return "tensor" if name not in ("shape", "rank", "size") else UNKNOWN
            if module.startswith("numpy"):
                return "array"
            return _RESULT_KINDS.get(getattr(fn, "__name__", ""), UNKNOWN)
        if isinstance(node.func, ast.Attribute):
            receiver_kind = self.infer_kind(node.func.value)
            if receiver_kind in ("tensor", "parameter"):
                return _TENSOR_METHOD_KINDS.get(node.func.attr, "tensor")
            if receiver_kind == "str":
                return "str" if node.func.attr in _STR_METHODS else UNKNOWN
        return UNKNOWN

    def _infer_kind_Subscript(self, node: ast.Subscript) -> str:
        """Return the kind of an item: "tensor" for a tensor, the kind of the first item for a
        literal.
        """
        container_kind = self.infer_kind(node.value)
        if container_kind in ("tensor", "parameter"):
            return "tensor"
        literal: Any = self.resolve_literal(node.value)
        items = getattr(literal, "elts", None) or getattr(literal, "values", None)
        return self.infer_kind(items[0]) if items else UNKNOWN

    def resolve_literal(self, node: ast.AST) -> ast.AST:
        """Return the list, tuple or dict literal if a name is bound once, to a literal; otherwise
        ``node``.
        """
        stores = self.stores.get(node.id, []) if isinstance(node, ast.Name) else []
        value = getattr(self.parents.get(stores[0]), "value", node) if len(stores) == 1 else node
        return value if isinstance(value, ast.List | ast.Tuple | ast.Dict) else node

    def _infer_kind_Attribute(self, node: ast.Attribute) -> str:
        """Return the kind of a tensor's shape, ndim, size, dtype or T; else ``UNKNOWN``."""
        if self.infer_kind(node.value) in ("tensor", "parameter"):
            return _TENSOR_ATTRIBUTE_KINDS.get(node.attr, UNKNOWN)
        return UNKNOWN

    def _infer_kind_List(self, node: ast.List) -> str:
        return "list"

    _infer_kind_ListComp = _infer_kind_List

    def _infer_kind_Tuple(self, node: ast.Tuple) -> str:
        return "tuple"

    def _infer_kind_Dict(self, node: ast.Dict) -> str:
        return "dict"

    _infer_kind_DictComp = _infer_kind_Dict

    def _infer_kind_Set(self, node: ast.Set) -> str:
        return "set"

    def _infer_kind_JoinedStr(self, node: ast.JoinedStr) -> str:
        return "str"

    def _infer_kind_Lambda(self, node: ast.Lambda) -> str:
        return "function"


_RESULT_KINDS = {
    "list": "list", "dict": "dict", "tuple": "tuple", "set": "set", "str": "str", "int": "int",
    "float": "float", "bool": "bool", "len": "int", "range": "range", "Parameter": "parameter",
}  # fmt: skip
_TENSOR_ATTRIBUTE_KINDS = {
    "shape": "tuple", "ndim": "int", "size": "int", "dtype": "dtype", "T": "tensor",
}  # fmt: skip
_TENSOR_METHOD_KINDS = {
    "asnumpy": "array", "numpy": "array", "tolist": "list", "item": "number", "dim": "int",
    "numel": "int", "ndimension": "int", "split": "tuple", "chunk": "tuple", "unbind": "tuple",
    "topk": "tuple",
}  # fmt: skip
_STR_METHODS = {"lower", "upper", "replace", "join", "strip", "format"}
_PURE_FUNCTIONS = {
    "range", "len", "min", "max", "abs", "int", "float", "bool", "any", "all", "isinstance",
    "startswith", "endswith", *_STR_METHODS,
}  # fmt: skip
_CONSTANT_NODES = (
    ast.Constant, ast.Name, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare,
    ast.Call, ast.Subscript, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
    ast.Attribute, ast.JoinedStr, ast.FormattedValue,
)  # fmt: skip


def _is_self(node: ast.AST) -> bool:
    """Whether ``node`` is the name ``self``."""
    return isinstance(node, ast.Name) and node.id == "self"


def make_comparable(x: Any) -> Any:
    """Return a copy of ``x``, with tensors as bytes, to compare with a later copy.

    Objects other than tensors, containers, numbers and str are replaced by their id.
    """
    if isinstance(x, Tensor):
        data = x.value_.data
        return id(x) if data is None else (data.shape, data.dtype.str, data.tobytes())
    if isinstance(x, list | tuple):
        return [make_comparable(v) for v in x]
    if isinstance(x, dict):
        return {k: make_comparable(v) for k, v in x.items()}
    return x if isinstance(x, int | float | str | type(None)) else id(x)


def collect_attributes(instance: Any) -> dict[str, Any]:
    """Return the attributes of an object, including a Cell's Parameters, Cells and buffers."""
    attributes = getattr(instance, "__dict__", {})
    registered = [attributes.get(r, {}) for r in ("_params", "_cells", "_buffers")]
    return {name: value for mapping in (*registered, attributes) for name, value in mapping.items()}


def get_called_name(node: ast.AST) -> str:
    """Return the last name of the called function or method; "" for any other node."""
    if isinstance(node, ast.Call):
        fn = node.func
        return fn.id if isinstance(fn, ast.Name) else getattr(fn, "attr", "")
    return ""


def _walk_in_order(top: ast.AST, skipped: tuple[ast.AST, ...] = ()) -> Iterator[ast.AST]:
    """Yield all nodes below ``top`` in source order, except the children ``skipped``."""
    for child in ast.iter_child_nodes(top):
        if child not in skipped:
            yield child
            yield from _walk_in_order(child)


@functools.lru_cache(maxsize=256)
def parse_file(file: str) -> ast.Module | None:
    """Return the syntax tree of a file, or None if it does not parse; cached."""
    try:
        return ast.parse("".join(linecache.getlines(file)), file)
    except SyntaxError:
        return None


@functools.lru_cache(maxsize=256)
def _map_parents(file: str) -> dict[ast.AST, ast.AST]:
    """Map each node of a file's syntax tree to its parent."""
    tree = parse_file(file)
    if tree is None:
        return {}
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def list_argument_names(code: types.CodeType) -> tuple[str, ...]:
    """Return the names of a function's arguments, without ``*args`` and ``**kwargs``."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _find_function_node(file: str, code: types.CodeType) -> Function:
    """Return the function or lambda in the file that has this code object; an empty function if
    there is none.

    Name, first line and arguments must agree.
    """
    tree = parse_file(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Lambda):
            has_name = code.co_name == "<lambda>"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            has_name = code.co_name == node.name
        else:
            continue
        decorators = getattr(node, "decorator_list", [])
        first_line = decorators[0].lineno if decorators else node.lineno
        arguments = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        has_arguments = arguments.issuperset(list_argument_names(code))
        if has_name and has_arguments and first_line == code.co_firstlineno:
            return node
    empty = ast.parse("def _(): pass").body[0]
    assert isinstance(empty, ast.FunctionDef)
    return empty


__all__ = [
    "NUMBER_KINDS",
    "UNKNOWN",
    "TracedFunction",
    "classify_object",
    "collect_attributes",
    "get_called_name",
    "list_argument_names",
    "make_comparable",
    "parse_file",
]
