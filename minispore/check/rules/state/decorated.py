"""Report wrappers made with ``functools.wraps``, which a graph skips."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction, get_called_name


def _only_forwards_arguments(node: ast.FunctionDef) -> bool:
    """Whether a wrapper does nothing but call a function with its own parameters."""
    last = node.body[-1]
    call = last.value if isinstance(last, ast.Return) else None
    if len(node.body) > 1 or not isinstance(call, ast.Call):
        return False
    parameters = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    arguments = [getattr(a, "value", a) for a in (*call.args, *call.keywords)]
    return all(
        isinstance(argument, ast.Name) and argument.id in parameters for argument in arguments
    )


def _find_skipped_wrapper(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find wrappers made with ``functools.wraps`` that do more than forward their arguments.

    A graph, in LAX and STRICT, compiles the wrapped function and skips the wrapper, which runs only
    in PYNATIVE_MODE.
    """
    node = function.node
    if isinstance(node, ast.FunctionDef) and not _only_forwards_arguments(node):
        for decorator in node.decorator_list:
            if get_called_name(decorator) == "wraps":
                yield decorator, node.name


RULE = Rule(
    name="decorated",
    says="A graph skips wrappers made with functools.wraps, around construct or a function that "
    "it calls, and compiles the function inside. The wrappers run only in PYNATIVE_MODE.",
    bad="""@twice  # which uses functools.wraps
def construct(self, x):
    return x + 1""",
    good="""def construct(self, x):
    return (x + 1) * 2""",
    lax=OTHER,
    strict=OTHER,
    around="""import functools


def twice(plain):
    @functools.wraps(plain)
    def doubled(self, x):
        return plain(self, x) * 2

    return doubled


class Net(nn.Cell):
    LINES


Net()(Tensor([1.0]))
""",
    find=_find_skipped_wrapper,
)
