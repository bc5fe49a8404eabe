"""Report conditions on a tensor whose two sides give different types, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.dataflow.liveness import Liveness
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import NUMBER_KINDS, TracedFunction, get_called_name
from minispore.core.tensor import Tensor

CASTS = {"cast", "astype", "to", "int", "long", "half", "Cast"}


def _infer_type(function: TracedFunction, value: ast.AST) -> tuple[str, str]:
    """Return the kind of a value, and the dtype of a visible cast or the text of a str constant."""
    kind = function.infer_kind(value)
    if kind == "unknown" and get_called_name(value) in CASTS:
        kind = "tensor"
    if isinstance(value, ast.Call) and get_called_name(value) in CASTS:
        return kind, ast.unparse(value.args[-1]) if value.args else get_called_name(value)
    if isinstance(value, ast.Compare) and kind == "tensor":
        return kind, "bool"
    text = ast.unparse(value) if isinstance(value, ast.Constant) and kind == "str" else ""
    return kind, text


def _infer_assigned_types(
    function: TracedFunction, body: list[ast.stmt]
) -> dict[str, tuple[str, str]]:
    """Return the type of the last value that plain assignments in ``body`` give each name."""
    types = {}
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            types[statement.targets[0].id] = _infer_type(function, statement.value)
    return types


def _is_type_mismatch(a: tuple[str, str], b: tuple[str, str]) -> bool:
    """Whether two types can't be joined: a tensor and no tensor, other dtypes, or other texts."""
    kinds = {a[0], b[0]}
    if kinds & {"unknown", "none"}:  # LAX joins None with anything
        return False
    if kinds == {"str"}:
        return a[1] != b[1]
    if len(kinds) > 1:
        return "tensor" in kinds
    return kinds == {"tensor"} and a[1] != b[1]


def _find_value_before(function: TracedFunction, test: ast.If, name: str) -> ast.AST | None:
    """Return the value of ``name`` before ``test``, if its last binding is a plain assignment.

    The assignment must stand beside ``test`` or around it. For a tensor argument it is the name.
    """
    bindings = [
        function.parents.get(store)
        for store in function.stores.get(name, [])
        if store.lineno < test.lineno
    ]
    if not bindings:
        argument = function.initial_values.get(name) if name in function.arguments else None
        name_node = ast.copy_location(ast.Name(name, ast.Load()), test)
        return name_node if isinstance(argument, Tensor) else None
    last_binding: Any = bindings[-1]
    is_sibling = function.parents.get(last_binding) is function.parents.get(test)
    is_enclosing = function.parents.get(last_binding) in [*function.iterate_ancestors(test)]
    is_plain = isinstance(last_binding, ast.Assign) and isinstance(
        last_binding.targets[0], ast.Name
    )
    return last_binding.value if is_plain and (is_sibling or is_enclosing) else None


def _infer_dtype(function: TracedFunction, value: ast.AST) -> str:
    """Return the dtype of a tensor as far as its source tells: "" is any, "?" any but bool."""
    if isinstance(value, ast.Name) and value.id in function.arguments:
        argument = function.initial_values.get(value.id)
        if isinstance(argument, Tensor) and len(function.stores.get(value.id, [])) <= 1:
            return str(argument.dtype).lower()
    if isinstance(value, ast.Compare):
        return "bool"
    if isinstance(value, ast.Call) and get_called_name(value) in CASTS:
        text = (
            ast.unparse(value.args[-1]).rpartition(".")[2] if value.args else get_called_name(value)
        )
        return _DTYPE_OF_METHOD.get(text, text).strip("_").lower()
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub | ast.Mult):
        return "?"
    return ""


_DTYPE_OF_METHOD = {"int": "int32", "long": "int64", "half": "float16"}


def _find_one_sided_type_changes(function: TracedFunction, test: ast.If) -> Iterator[str]:
    """Yield the names that only the ``if`` side gives another type, and that are read later.

    An ``if`` with an ``else``, or one that returns or raises, has none.
    """
    if test.orelse or any(isinstance(s, ast.Return | ast.Raise) for s in test.body):
        return
    end = test.end_lineno or test.lineno
    is_in_loop = any(isinstance(up, ast.For | ast.While) for up in function.iterate_ancestors(test))
    statement: Any
    for statement in test.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            continue
        name = targets[0].id
        last_store = [s for s in function.stores[name] if test.lineno <= s.lineno <= end][-1]
        is_read = any(n.id == name and (n.lineno > end or is_in_loop) for n in function.loads)
        old_value = _find_value_before(function, test, name)
        if last_store is not targets[0] or old_value is None or not is_read:
            continue
        kinds = function.infer_kind(old_value), function.infer_kind(statement.value)
        if kinds[1] == "unknown" and get_called_name(statement.value) in CASTS:
            kinds = kinds[0], "tensor"
        if set(kinds) == {"tensor"}:
            old_dtype, new_dtype = (
                _infer_dtype(function, old_value),
                _infer_dtype(function, statement.value),
            )
            if "?" in (old_dtype, new_dtype):
                is_mismatch = "bool" in (old_dtype, new_dtype)
            else:
                is_mismatch = bool(old_dtype and new_dtype) and old_dtype != new_dtype
            if is_mismatch:
                yield name
        elif "tensor" in kinds and not {"none", "unknown", "parameter", "object"} & set(kinds):
            yield name


def find_returns(function: TracedFunction, test: ast.If) -> list[ast.Return]:
    """Return the statements with which the sides of ``test`` return values, where they do.

    Without ``else`` the code after the ``if`` is the second side.
    """
    parent = function.parents.get(test)
    block = getattr(parent, "body", []) if test in getattr(parent, "body", []) else []
    else_body = test.orelse or block[block.index(test) + 1 :] if block or test.orelse else []
    returns = [
        next((s for s in body if isinstance(s, ast.Return)), None)
        for body in (test.body, else_body)
    ]
    return [s for s in returns if s is not None and s.value is not None]


def _is_result_mismatch(function: TracedFunction, test: ast.If) -> bool:
    """Whether both sides of ``test`` return values whose types can't be joined."""
    sides = [
        _infer_type(function, s.value) for s in find_returns(function, test) if s.value is not None
    ]
    if len(sides) < 2 or "none" in (sides[0][0], sides[1][0]):
        return False
    if {sides[0][0], sides[1][0]} <= NUMBER_KINDS:
        return sides[0][0] != sides[1][0]
    return _is_type_mismatch(*sides)


def _is_truth_tested(function: TracedFunction, node: ast.AST) -> bool:
    """Whether only the truth of ``node`` is used: it stands in a condition."""
    parent = function.parents.get(node)
    return isinstance(
        parent, ast.If | ast.While | ast.IfExp | ast.BoolOp | ast.UnaryOp | ast.Assert
    )


def _reads_updated_tensor(function: TracedFunction, expression: ast.expr) -> bool:
    """Whether the statement of an expression, or one that reads its name, needs a tensor that was
    changed in place before: MindSpore then keeps what it would drop.
    """
    around = (expression, *function.iterate_ancestors(expression))
    statement: Any = next(n for n in around if isinstance(n, ast.stmt))
    target = getattr((getattr(statement, "targets", None) or [None])[0], "id", "")
    readers = [statement, *(function.parents.get(n) for n in function.loads if n.id == target)]
    names = {n.id for r in readers if r for n in ast.walk(r) if isinstance(n, ast.Name)}
    return any(
        line < statement.lineno and names & aliases for line, aliases in function.aliases.items()
    )


def find_type_mismatches(function: TracedFunction) -> Iterator[tuple[RuleMatch, bool]]:
    """Yield conditions on a tensor whose sides differ in type, and whether a result depends on it.

    Conditional expressions and ``and``/``or`` count too.
    """
    for test in function.walk(ast.If):
        if function.infer_kind(test.test) != "tensor":
            continue
        if _is_result_mismatch(function, test):
            yield (test, "what is returned"), True
        then_types, else_types = (
            _infer_assigned_types(function, test.body),
            _infer_assigned_types(function, test.orelse),
        )
        names = [
            name
            for name in then_types
            if name in else_types and _is_type_mismatch(then_types[name], else_types[name])
        ]
        for name in [*names, *_find_one_sided_type_changes(function, test)]:
            yield (test, name), Liveness(function).is_read_after(name, test)
    for expression in function.walk(ast.IfExp):
        sides = _infer_type(function, expression.body), _infer_type(function, expression.orelse)
        is_decided_by_tensor = function.infer_kind(expression.test) == "tensor"
        if is_decided_by_tensor and _is_type_mismatch(*sides):
            yield expression, Liveness(function).reaches_result(expression)
    for expression in function.walk(ast.BoolOp):
        kinds = [function.infer_kind(v) for v in expression.values]
        deciding = kinds.index("tensor") if "tensor" in kinds else len(kinds)
        later_kinds = {*kinds[deciding + 1 :]}  # a number that stands before it is decided early
        if later_kinds & NUMBER_KINDS and not _is_truth_tested(function, expression):
            is_needed = _reads_updated_tensor(function, expression)
            yield expression, is_needed or Liveness(function).reaches_result(expression)


def _find_branch_type_mismatch(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find conditions on a tensor where the two sides give a name or the result different types.

    MindSpore compiles both sides and joins their values, which must agree in type and dtype; it
    refuses a mismatch that reaches a result in LAX and STRICT.
    """
    for match, is_read in find_type_mismatches(function):
        if is_read:
            yield match


RULE = Rule(
    name="branch-types",
    says="Where a tensor decides, a name or result that is a tensor on one side and a number, a "
    "text or of another dtype on the other is refused.",
    bad="""if x.sum() > 0:
    y = 1
else:
    y = x
return y""",
    good="""if x.sum() > 0:
    y = ops.ones_like(x)
else:
    y = x
return y""",
    lax=REFUSED,
    find=_find_branch_type_mismatch,
)
