"""Report attributes of self that keep the value of the first call, or whose change is not seen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.dataflow.liveness import Liveness, find_reads
from minispore.check.example import make_construct_template
from minispore.check.rule import CERTAIN, OTHER, POSSIBLE, Rule, RuleMatch
from minispore.check.rules.state.self_attribute import find_attribute_writes
from minispore.check.rules.values.asnumpy import HOST_READS
from minispore.check.source import UNKNOWN, TracedFunction, collect_attributes, get_called_name
from minispore.core.parameter import Parameter


def _reads_attribute(node: ast.AST, attribute: str) -> bool:
    """Whether the code at ``node`` reads an attribute of this name."""
    return any(
        isinstance(n, ast.Attribute) and n.attr == attribute and isinstance(n.ctx, ast.Load)
        for n in ast.walk(node)
    )


def _is_tested_before_write(function: TracedFunction, write: ast.Attribute) -> bool:
    """Whether a condition reads the attribute before the write, and so sees its first value.

    A condition that only guards the assignment of the attribute does not count.
    """
    for conditional in function.walk(ast.If):
        is_live = Liveness(function).reaches_result(conditional.test)
        is_before = conditional.lineno < write.lineno
        if is_live and is_before and _reads_attribute(conditional.test, write.attr):
            return not _only_assigns_attribute(conditional, write.attr)
    return False


def _only_assigns_attribute(conditional: ast.If, attribute: str) -> bool:
    """Whether an ``if`` has no ``else`` and does nothing but assign the attribute."""
    return not conditional.orelse and all(
        isinstance(s, ast.Assign) and getattr(s.targets[0], "attr", "") == attribute
        for s in conditional.body
    )


def _is_filled_under_test(function: TracedFunction, write: ast.Attribute) -> bool:
    """Whether the innermost ``if`` around the write tests its attribute and only assigns it."""
    conditionals = (a for a in function.iterate_ancestors(write) if isinstance(a, ast.If))
    innermost = next(conditionals, None)
    return (
        innermost is not None
        and _reads_attribute(innermost.test, write.attr)
        and _only_assigns_attribute(innermost, write.attr)
    )


def _find_frozen_attribute(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find writes to attributes of self that LAX computes only once, or whose value it never reads.

    The attribute keeps its first value if it was None, a list or absent, if the new value is not
    computed from it, or if a condition reads it first; it also cuts gradients. ``construct`` does
    not see writes made in other methods. Attributes that did not change in the run are left out.
    """
    for write, kind in find_attribute_writes(function):
        ancestors = function.iterate_ancestors(write)
        assignments = (a for a in ancestors if isinstance(a, ast.Assign | ast.AugAssign))
        statement: Any = next(assignments, None)
        value = getattr(statement, "value", None)
        is_counter = isinstance(statement, ast.AugAssign) or (
            value is not None and _reads_attribute(value, write.attr)
        )
        is_frozen = kind in ("none", "list", UNKNOWN) or not is_counter
        is_from_host = any(
            get_called_name(n) in HOST_READS for n in ast.walk(value or ast.Constant(None))
        )
        if (
            isinstance(value, ast.Constant)
            or is_from_host
            or _is_filled_under_test(function, write)
        ):
            is_frozen = False
        reads = [
            n
            for n in function.walk(ast.Attribute)
            if n.attr == write.attr and statement not in function.iterate_ancestors(n)
        ]
        if reads and not any(map(Liveness(function).reaches_result, reads)):
            continue
        is_needed = reads or _is_read_in_file(function, write.attr)
        sure = CERTAIN if is_needed or _is_value_shared(function, statement) else POSSIBLE
        is_unseen = _is_helper_method(function) or _is_tested_before_write(function, write)
        is_cut = _cuts_gradient(function) and (reads or _is_read_elsewhere(function, write.attr))
        if (is_unseen and function.is_attribute_changed(write.attr)) or (
            (is_frozen or is_cut) and function.varies_between_calls(write.attr)
        ):
            yield write, "", sure


def _is_read_in_file(function: TracedFunction, attribute: str) -> bool:
    """Whether the function's file reads an attribute of this name, or has a string with the name,
    as for ``getattr``.
    """
    return any(
        getattr(n, "value", None) == attribute
        or (getattr(n, "attr", "") == attribute and isinstance(n.ctx, ast.Load))  # type: ignore[attr-defined]
        for n in function.parents
    )


def _is_read_elsewhere(function: TracedFunction, attribute: str) -> bool:
    """Whether another function of the run's graphs reads an attribute of this name."""
    others = [f for f in function.companions if f is not function]
    return any(True for _ in find_reads(attribute, others))


def _is_value_shared(function: TracedFunction, statement: Any) -> bool:
    """Whether a result depends on a local name in the value that a statement writes, which keeps
    the first value, too.
    """
    value = getattr(statement, "value", None)
    names = {getattr(n, "id", "") for n in ast.walk(value)} & {*function.stores} if value else ()
    return any(Liveness(function).is_read_after(name, statement) for name in names)


def _cuts_gradient(function: TracedFunction) -> bool:
    """Whether a gradient is lost: of the inputs, or of a Parameter that the function does not
    write. LAX leaves code that reads a written attribute to Python, through which no gradient
    passes.
    """
    attributes = collect_attributes(function.instance)
    written = {n.attr for n in function.walk(ast.Attribute) if isinstance(n.ctx, ast.Store)}
    return function.is_differentiated and (
        function.is_lax
        or any(
            n.attr not in written
            and _has_parameter(attributes.get(n.attr))
            and Liveness(function).reaches_result(n)
            for n in function.walk(ast.Attribute)
        )
    )


def _has_parameter(x: Any) -> bool:
    """Whether an object is a Parameter, or a Cell or list of Cells that has one."""
    return isinstance(x, Parameter) or any(True for _ in getattr(x, "get_parameters", tuple)())


def _is_helper_method(function: TracedFunction) -> bool:
    """Whether the function is a method of a Cell other than ``construct``."""
    return function.name != "construct" and hasattr(type(function.instance), "construct")


RULE = Rule(
    name="self-cache",
    says="Under LAX an attribute keeps the first call's value if it is new, was None or a list, "
    "or is not computed from itself. The same happens if a condition reads it first, and "
    "construct does not see a helper's write. Use a Parameter.",
    bad="""self.last = x
return self.last * 2""",
    good="""self.kept = x  # a Parameter made in __init__
return self.kept * 2""",
    lax=OTHER,
    around=make_construct_template(
        'self.last = None\nself.kept = ms.Parameter(Tensor([1.0]), name="kept")',
        run="net = Net()\nnet(Tensor([1.0]))\nnet(Tensor([2.0]))",
    ),
    find=_find_frozen_attribute,
)
