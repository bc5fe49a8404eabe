"""Report lambdas that are not bound to a name on their own line, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction

_UNNAMED_PARENTS = ast.List | ast.Dict | ast.IfExp | ast.Tuple | ast.Call | ast.arguments  # default


def _iterate_all_ancestors(function: TracedFunction, node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes around ``node``, from the innermost to the module."""
    while node in function.parents:
        node = function.parents[node]
        yield node


def _find_unnamed_lambda(function: TracedFunction) -> Iterator[RuleMatch]:
    """Report a lambda that ran in a graph and is a default, argument or item of an expression.

    MindSpore reads a lambda's source from its file and needs it bound to a name on its own line; it
    refuses others in LAX and STRICT. Lambdas that a function of the graph defines are parsed with
    it; in a comprehension they must not have defaults.
    """
    for inner in function.walk(ast.Lambda):
        if inner.args.defaults and function.is_inside(inner, ast.ListComp, ast.GeneratorExp):
            yield inner
    if isinstance(function.node, ast.Lambda):
        parent = function.parents.get(function.node)
        is_in_construct = any(
            isinstance(ancestor, ast.FunctionDef) and ancestor.name == "construct"
            for ancestor in _iterate_all_ancestors(function, function.node)
        )
        is_in_expression = isinstance(parent, _UNNAMED_PARENTS)
        is_parsed_alone = not is_in_construct and not function.is_defined_in_graph
        if is_in_expression and is_parsed_alone:
            yield function.node


RULE = Rule(
    name="lambda",
    says="A lambda defined outside the graph is refused as a default, an argument or an item of a "
    "list or another expression. Bind it to a name on its own line. A lambda with defaults in a "
    "comprehension is refused, too.",
    bad="f = self.fs[0]  # self.fs = [lambda a: a * 2]\nreturn f(x)",
    good="return self.f(x)  # f = lambda a: a * 2; self.f = f",
    lax=REFUSED,
    around=make_construct_template("f = lambda a: a * 2\nself.f = f\nself.fs = [lambda a: a * 2]"),
    find=_find_unnamed_lambda,
)
