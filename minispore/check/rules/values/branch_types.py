"""Report conditions on a tensor whose two branches give different types, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from minispore.check.dataflow.liveness import Liveness
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import NUMBER_KINDS, TracedFunction, get_called_name
from minispore.core.tensor import Tensor

ANY, ANY_BUT_BOOL = "", "?"  # in place of a dtype that the source does not show
CASTS = {"cast", "astype", "to", "int", "long", "half", "Cast"}


class _ValueType(NamedTuple):
    """The kind of a value, and the dtype of a visible cast or the text of a str constant."""

    kind: str
    detail: str


def _infer_type(function: TracedFunction, value: ast.AST) -> _ValueType:
    """Return the type of a value as far as the source shows it; ``detail`` is "" if the source
    shows no dtype or text.
    """
    kind = function.infer_kind(value)
    if kind == "unknown" and get_called_name(value) in CASTS:
        kind = "tensor"
    if isinstance(value, ast.Call) and get_called_name(value) in CASTS:
        dtype = ast.unparse(value.args[-1]) if value.args else get_called_name(value)
        return _ValueType(kind, dtype)
    if isinstance(value, ast.Compare) and kind == "tensor":
        return _ValueType(kind, "bool")
    text = ast.unparse(value) if isinstance(value, ast.Constant) and kind == "str" else ""
    return _ValueType(kind, text)


def _infer_assigned_types(function: TracedFunction, body: list[ast.stmt]) -> dict[str, _ValueType]:
    """Return, by name, the type of the last value that a plain assignment in ``body`` gives it."""
    types = {}
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            types[statement.targets[0].id] = _infer_type(function, statement.value)
    return types


def _is_type_mismatch(a: _ValueType, b: _ValueType) -> bool:
    """Whether a graph can't join two types: a tensor and a non-tensor, different dtypes, or
    different texts.

    Unknown kinds and None match anything.
    """
    kinds = {a.kind, b.kind}
    if kinds & {"unknown", "none"}:  # LAX joins None with anything
        return False
    if len(kinds) > 1:
        return "tensor" in kinds
    return kinds <= {"str", "tensor"} and a.detail != b.detail


def _find_value_before(function: TracedFunction, conditional: ast.If, name: str) -> ast.AST | None:
    """Return the value of ``name`` before ``conditional``, or None if it can't be determined.

    It is the value of the last binding if that is a plain assignment in the block of
    ``conditional`` or in an enclosing block, and the name itself for a tensor argument that is not
    bound before.
    """
    bindings = [
        function.parents.get(store)
        for store in function.stores.get(name, [])
        if store.lineno < conditional.lineno
    ]
    if not bindings:
        argument = function.initial_values.get(name) if name in function.arguments else None
        name_node = ast.copy_location(ast.Name(name, ast.Load()), conditional)
        return name_node if isinstance(argument, Tensor) else None
    last_binding: Any = bindings[-1]
    is_sibling = function.parents.get(last_binding) is function.parents.get(conditional)
    is_enclosing = function.parents.get(last_binding) in [*function.iterate_ancestors(conditional)]
    is_plain = isinstance(last_binding, ast.Assign) and isinstance(
        last_binding.targets[0], ast.Name
    )
    return last_binding.value if is_plain and (is_sibling or is_enclosing) else None


def _infer_dtype(function: TracedFunction, value: ast.AST) -> str:
    """Return the dtype of a tensor as far as the source shows it, otherwise ANY or ANY_BUT_BOOL."""
    if isinstance(value, ast.Name) and value.id in function.arguments:
        argument = function.initial_values.get(value.id)
        if isinstance(argument, Tensor) and len(function.stores.get(value.id, [])) <= 1:
            return str(argument.dtype).lower()
    if isinstance(value, ast.Compare):
        return "bool"
    if isinstance(value, ast.Call) and get_called_name(value) in CASTS:
        name = ast.unparse(value.args[-1]) if value.args else get_called_name(value)
        name = name.rpartition(".")[2]
        return _DTYPE_OF_METHOD.get(name, name).strip("_").lower()
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub | ast.Mult):
        return ANY_BUT_BOOL
    return ANY


_DTYPE_OF_METHOD = {"int": "int32", "long": "int64", "half": "float16"}


def _find_one_sided_type_changes(function: TracedFunction, conditional: ast.If) -> Iterator[str]:
    """Yield the names whose type only the ``if`` branch changes and that are read later.

    An ``if`` with an ``else``, or one that returns or raises, has no such names.
    """
    if conditional.orelse or any(isinstance(s, ast.Return | ast.Raise) for s in conditional.body):
        return
    end = conditional.end_lineno or conditional.lineno
    is_in_loop = any(
        isinstance(a, ast.For | ast.While) for a in function.iterate_ancestors(conditional)
    )
    statement: Any
    for statement in conditional.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            continue
        name = targets[0].id
        last_store = [s for s in function.stores[name] if conditional.lineno <= s.lineno <= end][-1]
        is_read = any(n.id == name and (n.lineno > end or is_in_loop) for n in function.loads)
        old_value = _find_value_before(function, conditional, name)
        if last_store is not targets[0] or old_value is None or not is_read:
            continue
        kinds = {function.infer_kind(old_value), _infer_type(function, statement.value).kind}
        if kinds == {"tensor"}:
            old_dtype = _infer_dtype(function, old_value)
            new_dtype = _infer_dtype(function, statement.value)
            if ANY_BUT_BOOL in (old_dtype, new_dtype):
                is_mismatch = "bool" in (old_dtype, new_dtype)
            else:
                is_mismatch = ANY not in (old_dtype, new_dtype) and old_dtype != new_dtype
            if is_mismatch:
                yield name
        elif "tensor" in kinds and not {"none", "unknown", "parameter", "object"} & kinds:
            yield name


def find_returns(function: TracedFunction, conditional: ast.If | ast.While) -> list[ast.Return]:
    """Return the first ``return`` with a value in each branch of ``conditional`` that has one.

    Without ``else`` the second branch is the code that runs after ``conditional``, including code
    after the enclosing loops and conditions.
    """
    sides = [conditional.body, conditional.orelse or _list_statements_after(function, conditional)]
    returns = [next((s for s in side if isinstance(s, ast.Return)), None) for side in sides]
    return [s for s in returns if s is not None and s.value is not None]


def _list_statements_after(function: TracedFunction, statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements that follow ``statement`` in its block, and the statements after that
    block.
    """
    following: list[ast.stmt] = []
    block_owner: Any = function.parents.get(statement)
    for name in ("body", "orelse"):
        block = getattr(block_owner, name, [])
        if isinstance(block, list) and statement in block:
            following = block[block.index(statement) + 1 :]
    if isinstance(block_owner, ast.If | ast.For | ast.While | ast.With):
        following = [*following, *_list_statements_after(function, block_owner)]
    return following


def _is_result_mismatch(function: TracedFunction, conditional: ast.If | ast.While) -> bool:
    """Whether both branches of ``conditional`` return values whose types can't be joined."""
    sides = [
        _infer_type(function, s.value)
        for s in find_returns(function, conditional)
        if s.value is not None
    ]
    kinds = {side.kind for side in sides}
    if len(sides) < 2 or "none" in kinds:
        return False
    if kinds <= NUMBER_KINDS:
        return len(kinds) > 1
    return _is_type_mismatch(*sides)


def _is_condition(function: TracedFunction, node: ast.AST) -> bool:
    """Whether an expression is a condition, or a part of one."""
    parent = function.parents.get(node)
    if isinstance(parent, ast.BoolOp | ast.UnaryOp):
        return _is_condition(function, parent)
    return isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert)


def _is_surely_number(function: TracedFunction, value: ast.expr) -> bool:
    """Whether an expression is known to give a number or a bool and not a tensor."""
    if isinstance(value, ast.Compare | ast.UnaryOp):
        if isinstance(value, ast.UnaryOp):
            operands = [value.operand]
        elif isinstance(value.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
            return True
        else:
            operands = [value.left, *value.comparators]
        kinds = {function.infer_kind(operand) for operand in operands}
        return not kinds & {"tensor", "parameter", "unknown", "object"}
    return function.infer_kind(value) in NUMBER_KINDS or (
        get_called_name(value) in ("isinstance", "hasattr", "callable", "len")
    )


def _reads_updated_tensor(function: TracedFunction, expression: ast.expr) -> bool:
    """Whether the statement of an expression, or one that reads its name, needs a tensor that was
    changed in place before. Then MindSpore keeps code that it would otherwise drop.
    """
    statement: Any = next(
        n for n in function.iterate_ancestors(expression) if isinstance(n, ast.stmt)
    )
    target = getattr((getattr(statement, "targets", None) or [None])[0], "id", "")
    readers = [statement, *(function.parents.get(n) for n in function.loads if n.id == target)]
    names = {n.id for r in readers if r for n in ast.walk(r) if isinstance(n, ast.Name)}
    return any(
        line < statement.lineno and names & aliases for line, aliases in function.aliases.items()
    )


def find_type_mismatches(function: TracedFunction) -> Iterator[tuple[RuleMatch, bool]]:
    """Yield conditions on a tensor whose branches differ in type, and whether a result depends on
    it.

    An ``if`` is yielded with the name concerned, an expression alone. Conditional expressions and
    ``and``/``or`` count, too.
    """
    liveness = Liveness(function, keeps_changes=True)
    for conditional in function.walk(ast.If):
        if function.infer_kind(conditional.test) != "tensor":
            continue
        if _is_result_mismatch(function, conditional):
            yield (conditional, "what is returned"), True
        then_types = _infer_assigned_types(function, conditional.body)
        else_types = _infer_assigned_types(function, conditional.orelse)
        names = [
            name
            for name in then_types
            if name in else_types and _is_type_mismatch(then_types[name], else_types[name])
        ]
        for name in [*names, *_find_one_sided_type_changes(function, conditional)]:
            yield (conditional, name), liveness.is_read_after(name, conditional)
    for loop in function.walk(ast.While):
        if function.infer_kind(loop.test) == "tensor" and _is_result_mismatch(function, loop):
            yield (loop, "what is returned"), True
    for expression in function.walk(ast.IfExp):
        sides = _infer_type(function, expression.body), _infer_type(function, expression.orelse)
        is_decided_by_tensor = function.infer_kind(expression.test) == "tensor"
        if is_decided_by_tensor and _is_type_mismatch(*sides):
            yield expression, liveness.reaches_result(expression)
    for expression in function.walk(ast.BoolOp):
        kinds = [function.infer_kind(getattr(v, "operand", v)) for v in expression.values]
        first_tensor = kinds.index("tensor") if "tensor" in kinds else len(kinds)
        later_values = expression.values[first_tensor + 1 :]  # the parser decides those before
        if any(_is_surely_number(function, value) for value in later_values):
            is_needed = _is_condition(function, expression) or _reads_updated_tensor(
                function, expression
            )
            yield expression, is_needed or liveness.reaches_result(expression)


def _find_branch_type_mismatch(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find conditions on a tensor whose two branches give a name or the result different types.

    MindSpore compiles both branches and joins their values, which must have the same type and
    dtype; it refuses a mismatch that reaches a result in LAX and STRICT.
    """
    for match, is_read in find_type_mismatches(function):
        if is_read:
            yield match


RULE = Rule(
    name="branch-types",
    says="Both branches of a condition on a tensor must give a name or result the same type. A "
    "tensor in one branch and a number, a text or a tensor of another dtype in the other is "
    "refused. So is a number or bool after a tensor in and, or: put it first.",
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
    refuses_unused=False,
    find=_find_branch_type_mismatch,
)
