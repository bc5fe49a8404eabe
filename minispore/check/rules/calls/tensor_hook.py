"""Report tensor hooks that graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.dataflow.liveness import Liveness
from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_refused_hook(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find hooks that are local functions, second hooks of a tensor, and handles that are removed.

    A graph accepts one hook per tensor, which must be a function of the module, and returns no
    handle. In a function that is not differentiated, and for a tensor whose gradient is not
    needed, only removed handles are reported.
    """
    local_functions = {n.name for n in function.walk(ast.FunctionDef)}
    hooked_names: set[str] = set()
    for call in function.find_calls("register_hook"):
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else call
        if function.infer_kind(receiver) != "tensor" or not call.args:
            continue
        hook, name = call.args[0], ast.unparse(receiver)
        is_local = isinstance(hook, ast.Lambda) or getattr(hook, "id", "") in local_functions
        is_refused = function.is_differentiated and (is_local or name in hooked_names)
        liveness = Liveness(function, follows_gradient=True)
        is_idle = name.isidentifier() and not liveness.is_read_after(name, call)
        if (is_refused and not is_idle) or _is_handle_removed(function, call):
            yield call
        hooked_names.add(name)


def _is_handle_removed(function: TracedFunction, call: ast.Call) -> bool:
    """Whether the result of ``register_hook`` is bound to a name on which ``remove`` is called."""
    targets = getattr(function.parents.get(call), "targets", [])
    names = {t.id for t in targets if isinstance(t, ast.Name)}
    return any(
        isinstance(remove.func, ast.Attribute) and ast.unparse(remove.func.value) in names
        for remove in function.find_calls("remove")
    )


RULE = Rule(
    name="tensor-hook",
    says="A tensor can have one hook, which must be a function of the module. Lambdas, functions "
    "defined in construct, second hooks and remove() are refused.",
    bad="""y = x * 2
y.register_hook(lambda g: g * 3)
return (y * y).sum()""",
    good="""y = x * 2
y.register_hook(hook)  # a function of the module
return (y * y).sum()""",
    lax=REFUSED,
    around=make_construct_template(
        head="def hook(g):\n    return g * 3", run="ms.grad(Net())(Tensor([1.0, 2.0]))"
    ),
    find=_find_refused_hook,
)
