"""Report in-place operators on a tensor that has another name, which also sees the change in a
graph.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Any

from minispore.check.dataflow.folding import find_outcome
from minispore.check.dataflow.items import find_container_name
from minispore.check.dataflow.liveness import Liveness, decide_as_parser
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.values.asnumpy import HOST_READS
from minispore.check.rules.values.none_or_tensor import find_none_or_tensor
from minispore.check.source import NUMBER_KINDS, TracedFunction, get_called_name


def is_in_place(node: ast.AST | None) -> bool:
    """Whether ``node`` is an augmented assignment that graphs execute in place, such as ``+=``."""
    kinds = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv
    return isinstance(node, ast.AugAssign) and isinstance(node.op, kinds)


def _infer_kind_before(function: TracedFunction, target: ast.Name) -> str:
    """Return the kind of a name just before the statement that assigns to it."""
    return function.infer_kind(ast.copy_location(ast.Name(target.id, ast.Load()), target))


def _is_shared(function: TracedFunction, name: str, node: ast.AugAssign) -> bool:
    """Whether the source shows that other code may see the tensor that ``node`` changes in place.

    The tensor is an argument, has another name, comes from a container, or is the first addend of a
    sum that began as a number. What the run recorded takes precedence, except under a gradient,
    where the arguments are copies.
    """
    if _is_identity_of_shared(function, name, node):
        return True
    if node.lineno in function.in_place_lines and not function.is_differentiated:
        return False
    earlier_stores = [s for s in function.stores.get(name, ()) if s.lineno < node.lineno]
    rebinding_stores = [s for s in earlier_stores if not is_in_place(function.parents.get(s))]
    if not rebinding_stores:
        return name in function.arguments
    parent = function.parents.get(rebinding_stores[-1])
    if isinstance(parent, ast.Tuple):  # a, b = t
        container = getattr(function.parents.get(parent), "value", None)
        return isinstance(container, ast.Name) and any(
            n.id == container.id and n.lineno > node.lineno for n in function.loads
        )
    value = getattr(parent, "value", None)
    if isinstance(value, ast.Attribute) and value.attr in ("T", "mT", "H"):
        return False  # shared only if the run showed it: a transposed vector
    if isinstance(value, ast.Name | ast.Attribute) and function.infer_kind(value) != "int":
        return not _is_fresh_loop_variable(function, value)
    if isinstance(value, ast.Constant):  # the sum is the first added tensor itself
        later_stores = [s for s in function.stores[name] if s.lineno > rebinding_stores[-1].lineno]
        if _is_fresh_loop_variable(function, node.value):
            return False
        is_name = isinstance(node.value, ast.Name | ast.Attribute)
        return is_name and (len(later_stores) > 1 or function.is_inside(node, ast.For, ast.While))
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
        container = value.value
        if function.infer_kind(container) in ("list", "tuple", "dict"):
            return any(n.id == container.id and n.lineno > node.lineno for n in function.loads)
    return False


def _is_identity_of_shared(function: TracedFunction, name: str, node: ast.AugAssign) -> bool:
    """Whether ``name`` is bound to ``ops.identity`` of an argument or of a tensor that is read
    later.
    """
    source = _find_identity_source(function, name, node)
    if not source or _is_maybe_none(function, source):
        return False
    is_argument = source in function.arguments and source not in function.stores
    is_outside = is_argument and not _is_copied_by_control_flow(function, {source}, node)
    return is_outside or Liveness(function).is_read_after(source, node)


def _find_identity_source(function: TracedFunction, name: str, node: ast.AugAssign) -> str:
    """Return the name of which ``ops.identity`` gives the value of ``name`` before a statement, or
    "".
    """
    stores = [s for s in function.stores.get(name, ()) if s.lineno < node.lineno]
    value: Any = getattr(function.parents.get(stores[-1]), "value", None) if stores else None
    is_identity = get_called_name(value) in ("identity", "Identity") and value.args
    return getattr(value.args[0], "id", "") if is_identity else ""


def _was_shared_at_run(function: TracedFunction, name: str, node: ast.AugAssign) -> bool:
    """Whether the run showed another user of the tensor's memory.

    The memory belongs to a Parameter, or a caller or this function later reads it under another
    name or from a tuple or dict, or returns it from a list or as the result of an op that is left
    out.
    """
    names = function.aliases.get(node.lineno, set()) | {name}
    keys = function.late_keys.get(node.lineno, {})
    if _is_maybe_none(function, name):
        return False
    late_aliases = function.late_aliases.get(node.lineno, set())
    is_outside = (
        node.lineno in function.outside_writes
        and not _follows_dropped_choice(function, node)
        and not _is_copied_by_control_flow(function, (names | late_aliases) - keys.keys(), node)
    )
    return (
        is_outside
        or any(
            (function.is_differentiated and other in function.arguments)
            or Liveness(function).is_read_after(other, node)
            for other in names - {name}
        )
        or any(
            Liveness(function).is_read_after(
                other, node, returned_unchanged=True, keys=keys.get(other, ())
            )
            for other in late_aliases - {name}
        )
    )


def _is_folded_away(function: TracedFunction, name: str, node: ast.AugAssign) -> bool:
    """Whether MindSpore drops an in-place change because a constant condition removes all uses of
    ``name``.

    A change without any use stays, because the parser attaches it to the result, and so does a
    change in a loop or an ``if``. An ``if`` on an attribute of self does not count as such a
    condition, because the parser itself leaves out its untaken branch.
    """
    if function.is_inside(node, ast.For, ast.While, ast.If):
        return False
    is_read_by_parser = Liveness(function, decide_as_parser).is_read_after(name, node) or any(
        n.id == name
        and n.lineno > node.lineno
        and getattr(function.parents[n], "attr", "") in ("shape", "ndim", "size", "dtype")
        for n in function.loads
    )
    compiler = Liveness(function, keeps_changes=True)
    return is_read_by_parser and not compiler.is_read_after(name, node)


def _follows_dropped_choice(function: TracedFunction, node: ast.AugAssign) -> bool:
    """Whether an ``if`` with ``else`` on a tensor precedes ``node``, and neither of its branches
    has an effect.
    """
    return any(
        choice.lineno < node.lineno
        and choice.orelse
        and _is_decided_by_tensor(function, choice.test)
        and not Liveness(function, find_outcome).reaches_result(choice.test)
        for choice in function.walk(ast.If)
    )


def _is_maybe_none(function: TracedFunction, name: str) -> bool:
    """Whether the value of ``name`` comes from a name that is None or a tensor, which makes it a
    copy in MindSpore.
    """
    names = {maybe_none for _, maybe_none in find_none_or_tensor(function)}
    return bool(names & _find_origins(function, name))


def _find_origins(function: TracedFunction, name: str) -> set[str]:
    """Return ``name`` and all names from which its value is computed, directly or indirectly."""
    origins, pending = {name}, [name]
    while pending:
        for store in function.stores.get(pending.pop(), ()):
            parent = function.parents.get(store)
            value = getattr(parent, "value", None) or getattr(parent, "iter", None)
            reads = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} if value else set()
            pending += reads - origins
            origins |= reads
    return origins


def _is_interpreted(function: TracedFunction, node: ast.AugAssign) -> bool:
    """Whether an operand comes from ``asnumpy`` or a similar method, from a number of self that the
    function sets, or from a comprehension over ``reversed``, so Python makes a new tensor.
    """
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    origins = {origin for name in names for origin in _find_origins(function, name)}
    if any(_is_read_from_number_of_self(function, origin) for origin in origins):
        return True
    for call in function.find_calls(*HOST_READS, "reversed"):
        if get_called_name(call) == "reversed" and not function.is_inside(call, ast.comprehension):
            continue
        statement = next(n for n in function.iterate_ancestors(call) if isinstance(n, ast.stmt))
        targets = getattr(statement, "targets", [getattr(statement, "target", statement)])
        owners = [n for n in function.iterate_ancestors(call) if isinstance(n, ast.FunctionDef)]
        bound = {getattr(n, "id", getattr(n, "name", "")) for n in (*targets, *owners)}
        if statement is node or (bound & origins and statement.lineno < node.lineno):
            return True
    return False


def _is_read_from_number_of_self(function: TracedFunction, name: str) -> bool:
    """Whether a statement that binds ``name`` reads a number of self that the function sets."""
    bindings = [function.parents.get(store) for store in function.stores.get(name, ())]
    values = [getattr(binding, "value", None) for binding in bindings]
    return any(
        _is_written_number_of_self(function, n)
        for value in values
        for n in (ast.walk(value) if value is not None else ())
    )


def _is_written_number_of_self(function: TracedFunction, node: ast.AST) -> bool:
    """Whether an expression is an attribute that holds a number and that the function sets."""
    if not isinstance(node, ast.Attribute):
        return False
    is_number = function.attribute_kinds.get(node.attr) in NUMBER_KINDS
    written = (n.attr for n in function.walk(ast.Attribute) if isinstance(n.ctx, ast.Store))
    return is_number and node.attr in written


def _is_copied_by_control_flow(
    function: TracedFunction, names: set[str], node: ast.AugAssign
) -> bool:
    """Whether MindSpore works on a copy of the argument that ``names`` refer to, so that the caller
    does not see the change.

    Control flow on a tensor becomes functions of their own, to which MindSpore passes copies of the
    arguments that nothing has read before: a loop with all that follows it, the branches of a
    condition and the value that they give a name, and what follows a condition whose branches do
    more than compute tensors.
    """
    arguments = names & {*function.arguments}
    target_origins = _find_origins(function, getattr(node.target, "id", ""))
    for flow in function.walk(ast.While, ast.If, ast.IfExp) if arguments else ():
        if flow.lineno >= node.lineno or not _is_decided_by_tensor(function, flow.test):
            continue
        if isinstance(flow, ast.While):
            is_copied, last_line = not function.is_inside(flow, ast.If), flow.lineno - 1
        elif flow in function.iterate_ancestors(node) or _binds_one_of(
            function, flow, (names & target_origins) - arguments
        ):
            is_copied, last_line = True, flow.test.end_lineno or 0
        else:
            is_copied, last_line = _does_more_than_compute(function, flow), flow.end_lineno or 0
        if is_copied and not _is_read_until(function, names, last_line):
            return True
    return False


def _binds_one_of(
    function: TracedFunction, flow: ast.If | ast.IfExp, names: Collection[str]
) -> bool:
    """Whether a condition decides the value of one of ``names``."""
    statement = function.parents.get(flow) if isinstance(flow, ast.IfExp) else flow
    return any(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in names
        for n in (ast.walk(statement) if statement is not None else ())
    )


def _does_more_than_compute(function: TracedFunction, flow: ast.If | ast.IfExp) -> bool:
    """Whether a branch of an ``if`` returns, gives a name a number or a text, prints, or changes a
    Parameter or an attribute.
    """
    for n in ast.walk(flow) if isinstance(flow, ast.If) else ():
        value = n.value if isinstance(n, ast.Assign) else None
        is_number = value is not None and function.infer_kind(value) in {*NUMBER_KINDS, "str"}
        is_attribute = isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
        if (
            is_number
            or is_attribute
            or isinstance(n, ast.Return)
            or get_called_name(n) in ("print", "assign")
        ):
            return True
    return False


def _is_read_until(function: TracedFunction, names: set[str], last_line: int) -> bool:
    """Whether a result depends on a read of one of ``names`` until a line, other than to give the
    tensor another of these names.
    """
    reads = (n for n in function.loads if n.id in names and n.lineno <= last_line)
    for read in reads:
        statement: Any = next(
            n for n in function.iterate_ancestors(read) if isinstance(n, ast.stmt)
        )
        targets = getattr(statement, "targets", [])
        is_alias = [getattr(t, "id", "") in names for t in targets] == [True]
        is_in_test = any(
            read in ast.walk(n.test)
            for n in function.iterate_ancestors(read)
            if isinstance(n, ast.IfExp)
        )
        if (is_in_test or not is_alias) and Liveness(function, find_outcome).reaches_result(read):
            return True
    return False


def _is_decided_by_tensor(function: TracedFunction, test: ast.expr) -> bool:
    """Whether a condition, or an operand of its ``and`` or ``or``, is a tensor."""
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    return any(function.infer_kind(part) == "tensor" for part in parts)


def _is_fresh_loop_variable(function: TracedFunction, value: ast.expr) -> bool:
    """Whether a name is the variable of a loop over a tensor, or over a literal of new tensors."""
    for loop in function.walk(ast.For):
        if isinstance(value, ast.Name) and ast.unparse(loop.target) == value.id:
            is_new_literal = isinstance(loop.iter, ast.List | ast.Tuple) and not any(
                isinstance(e, ast.Name | ast.Attribute) for e in loop.iter.elts
            )
            if is_new_literal or function.infer_kind(loop.iter) == "tensor":
                return True
    return False


def find_shared_in_place_update(function: TracedFunction) -> Iterator[ast.AugAssign]:
    """Find augmented assignments, such as ``+=``, of a tensor that is visible under another name.

    In PYNATIVE_MODE they make a new tensor. A graph, in LAX and STRICT, writes into the tensor
    itself, so an argument, an alias or the first addend of a sum changes, too.
    """
    for node in function.walk(ast.AugAssign):
        if not is_in_place(node):
            continue
        if isinstance(node.target, ast.Subscript):
            container_kind = function.infer_kind(node.target.value)
            name = getattr(node.target.value, "id", "")
            is_item = container_kind in ("list", "dict")
            if is_item and _was_shared_at_run(function, name, node):
                yield node
        if not isinstance(node.target, ast.Name):
            continue
        name = node.target.id
        kinds = {function.infer_kind(node.value), _infer_kind_before(function, node.target)}
        if "tensor" not in kinds and node.lineno not in function.in_place_lines:
            continue
        is_shared = _is_shared(function, name, node) or _was_shared_at_run(function, name, node)
        is_dropped = _is_folded_away(function, name, node) or _is_interpreted(function, node)
        if is_shared and not is_dropped:
            yield node


def is_left_to_python(function: TracedFunction, node: ast.AugAssign) -> bool:
    """Whether LAX leaves the change, or all later reads of the tensor, to Python, whose ``+=``
    makes a new tensor.

    So it does with items of a list that ``insert`` or ``pop`` changes, and with operands beside a
    number of self that the function sets.
    """
    calls = [*function.find_calls("insert", "pop")]
    all_lists = {ast.unparse(c.func.value) for c in calls if isinstance(c.func, ast.Attribute)}
    earlier_calls = (c for c in calls if c.lineno < node.lineno)
    lists = {getattr(getattr(c.func, "value", None), "id", "") for c in earlier_calls}
    value: Any = node.target
    while isinstance(value, ast.Name):
        stores = [s for s in function.stores.get(value.id, ()) if s.lineno < value.lineno]
        value = getattr(function.parents.get(stores[-1]), "value", None) if stores else None
    is_item = isinstance(value, ast.Subscript) and getattr(value.value, "id", "") in lists
    is_inside = not lists.isdisjoint(function.late_aliases.get(node.lineno, ()))
    name = getattr(node.target, "id", "")
    is_later_item = any(
        find_container_name(function, n) in all_lists
        for n in _find_later_reads(function, node, {name})
    )
    if node.lineno in function.outside_writes:
        return is_item or is_later_item
    aliases = (a.get(node.lineno, set()) for a in (function.aliases, function.late_aliases))
    source = _find_identity_source(function, name, node)
    names = {source}.union(*aliases) - {name, *function.arguments}
    reads = _find_later_reads(function, node, names)
    other_reads = [*filter(Liveness(function).reaches_result, reads)]
    is_read_by_python = bool(other_reads) and all(
        find_container_name(function, n) in all_lists
        or _is_combined_with_number_of_self(function, n)
        for n in other_reads
    )
    return is_item or is_later_item or is_inside or is_read_by_python


def _find_later_reads(
    function: TracedFunction, node: ast.AugAssign, names: Collection[str]
) -> list[ast.Name]:
    """Return the reads after a statement of ``names``, and of names that plain assignments after
    it bind to these.
    """
    names, reads = {*names}, []
    for load in sorted(function.loads, key=lambda n: n.lineno):
        if load.id not in names or load.lineno <= node.lineno:
            continue
        binding = function.parents[load]
        if isinstance(binding, ast.Assign):
            names |= {getattr(target, "id", "") for target in binding.targets}
        else:
            reads.append(load)
    return reads


def _is_combined_with_number_of_self(function: TracedFunction, read: ast.Name) -> bool:
    """Whether the other operand of an operator is a number of self that the function sets."""
    operation = function.parents[read]
    if not isinstance(operation, ast.BinOp):
        return False
    other = operation.right if read is operation.left else operation.left
    return _is_written_number_of_self(function, other)


def _find_update_in_lax(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find the in-place updates of a shared tensor that LAX makes, too."""
    updates = find_shared_in_place_update(function)
    yield from (node for node in updates if not is_left_to_python(function, node))


RULE = Rule(
    name="augmented",
    says="In a graph x += y writes into the tensor itself. This also changes an argument, another "
    "name for it, and the first addend of a sum that began as 0.",
    bad="""x += 1
return x""",
    good="""x = x + 1
return x""",
    lax=OTHER,
    strict=OTHER,
    find=_find_update_in_lax,
)
