"""Observe what a call shows: shapes, dtypes, and the rules that wrong arguments break."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.nn.cell import Cell
from tests.reference.examples import Call, silence_output
from tests.reference.names import inputs

_DTYPES = ["float16", "float32", "float64", "int32", "int64", "uint8", "bool", "complex64"]


class Repeated:
    """A call that can be made again with other arguments."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.args = list(call.args)

    def __call__(self, args: list[Any]) -> Any:
        if isinstance(self.call.target, Primitive | Cell):
            return self.call.target(*args, **self.call.kwargs)
        return self.call.target(*args, **self.call.kwargs)

    @property
    def at(self) -> list[int]:
        """The positions of the arguments that are tensors."""
        return [i for i, a in enumerate(self.args) if isinstance(a, Tensor)]


def is_eager(call: Call) -> bool:
    """Whether all its tensors have values: a call that is traced has none."""
    tensors = [a for a in (*call.args, *call.kwargs.values(), call.result) if isinstance(a, Tensor)]
    return all(t.value_.data is not None for t in tensors)


def labels(call: Call) -> list[str]:
    """Return the name of each positional argument."""
    thing = call.target
    results = (
        inputs(type(thing)) if isinstance(thing, Primitive | Cell)
        else list(inspect.signature(thing).parameters.values())
    )  # fmt: skip
    names: list[str] = []
    for p in results:
        if p.kind is p.VAR_POSITIONAL:
            names += [p.name] * (len(call.args) - len(names))
        elif p.kind is not p.KEYWORD_ONLY:
            names.append(p.name)
    return (names + [""] * len(call.args))[: len(call.args)]


# -- shapes ----------------------------------------------------------------------------------------


def shape_of(value: Any) -> str | None:
    """Return the shape of a tensor, or of each of several; None of anything else."""
    if isinstance(value, Tensor):
        return str(tuple(value.shape))
    if isinstance(value, tuple | list) and value:
        parts = [shape_of(v) for v in value]
        if all(p is not None for p in parts):
            return "[" + ", ".join(map(str, parts)) + "]"
    return None


def describe_shapes(call: Call) -> str | None:
    """Return ``x (2, 3), y (3,) -> (2, 3)``; None if no tensor goes in or comes out."""
    out = shape_of(call.result)
    into = [f"{n} {shape_of(a)}".strip() for n, a in zip(labels(call), call.args)
            if shape_of(a) is not None]  # fmt: skip
    into += [f"{n} {shape_of(a)}" for n, a in call.kwargs.items() if shape_of(a) is not None]
    return f"{', '.join(into)} -> {out}" if out is not None and into else None


def shape_rule(call: Call) -> str | None:
    """Return the rule of the shapes if calls with several shapes obey the same one."""
    repeated = Repeated(call)
    at = repeated.at
    names = labels(call)
    has_keyword_tensors = any(isinstance(a, Tensor) for a in call.kwargs.values())
    if not isinstance(call.result, Tensor) or has_keyword_tensors or not 1 <= len(at) <= 3:
        return None
    texts = [f"``{names[i]}``" for i in at]
    if len(at) > 1:
        joined = f"{', '.join(texts[:-1])} and {texts[-1]}"
        subject = joined if len(set(texts)) == len(texts) else "The inputs"
        results = _compute_shape(repeated, dict(zip(at, ((2, 1, 3), (4, 1), (1, 1)))))
        if results == (2, 4, 3):
            return f"{subject} broadcast together, to the output."
        results = [
            _compute_shape(repeated, dict.fromkeys(at, s)) for s in ((2, 3, 4), (5,), (2, 2, 3, 2))
        ]
        if results == [(2, 3, 4), (5,), (2, 2, 3, 2)]:
            return f"{subject} and the output have the same shape."
        if results == [(), (), ()]:
            return f"{subject} have any one shape; the output is a scalar."
        return None
    tried = {
        s: _compute_shape(repeated, {at[0]: s}) for s in ((2, 3, 4), (5,), (2, 2, 3, 2), (1, 6))
    }
    shapes_by_input = {s: m for s, m in tried.items() if m is not None}
    if len(shapes_by_input) >= 3 and all(s == m for s, m in shapes_by_input.items()):
        return f"{texts[0]} may have any shape; the output has the same."
    if len(shapes_by_input) >= 3 and all(m == () for m in shapes_by_input.values()):
        return f"{texts[0]} may have any shape; the output is a scalar."
    return None


def _compute_shape(
    repeated_call: Repeated, shapes: dict[int, tuple[int, ...]]
) -> tuple[int, ...] | None:
    args = list(repeated_call.args)
    for i, shape in shapes.items():
        args[i] = Tensor(np.resize(args[i].asnumpy(), shape))
    with silence_output():
        try:
            output = repeated_call(args)
        except Exception:
            return None
    return tuple(output.shape) if isinstance(output, Tensor) else None


# -- dtypes ----------------------------------------------------------------------------------------


def dtypes(call: Call) -> dict[str, str]:
    """Return the dtype of the result for each dtype of the tensors that go in."""
    repeated = Repeated(call)
    if isinstance(call.target, Cell) and list(call.target.get_parameters()):
        return {}
    if not isinstance(call.result, Tensor) or any(isinstance(a, Parameter) for a in repeated.args):
        return {}
    at = [i for i in repeated.at if repeated.args[i].asnumpy().dtype.kind in "fc"] or repeated.at
    if not at:
        return {}
    actual = {}
    for name in _DTYPES:
        args = list(repeated.args)
        with silence_output():
            for i in at:
                args[i] = Tensor(args[i].asnumpy().astype(name))
            try:
                actual[name] = repeated(args).asnumpy().dtype.name
            except Exception:
                continue
    return actual


def first(call: Call) -> int:
    """Return the position of the tensor whose dtype the others follow."""
    repeated = Repeated(call)
    at = [i for i in repeated.at if repeated.args[i].asnumpy().dtype.kind in "fc"] or repeated.at
    return at[0]


def dtype_rule(call: Call) -> tuple[str, str]:
    """Return the dtypes that tensors may have, and the dtype of the result."""
    actual = dtypes(call)
    if not actual:
        return "", ""
    names = labels(call)
    repeated = Repeated(call)
    at = [i for i in repeated.at if repeated.args[i].asnumpy().dtype.kind in "fc"] or repeated.at
    text = "any dtype" if len(actual) == len(_DTYPES) else _join_names(list(actual))
    results = set(actual.values())
    if all(a == b for a, b in actual.items()):
        return text, f"of the dtype of ``{names[at[0]]}``" if len(actual) > 1 else next(
            iter(results)
        )
    if len(results) == 1:
        return text, next(iter(results))
    same = [a for a, b in actual.items() if a == b]
    other: dict[str, list[str]] = {}
    for a, b in actual.items():
        if a != b:
            other.setdefault(b, []).append(a)
    message = ", ".join(f"{b} for {_join_names(a)}" for b, a in other.items())
    return text, (f"of the dtype of ``{names[at[0]]}``; {message}" if same else message)


def _join_names(names: list[str]) -> str:
    kinds = [
        ("floats", ["float16", "float32", "float64"]),
        ("integers", ["int32", "int64", "uint8"]),
    ]
    messages: list[str] = []
    rest = list(names)
    for word, members in kinds:
        if set(members) <= set(rest):
            messages.append(word)
            rest = [n for n in rest if n not in members]
    messages += rest
    return messages[0] if len(messages) == 1 else f"{', '.join(messages[:-1])} and {messages[-1]}"


# -- what is refused -------------------------------------------------------------------------------

RULE = re.compile(r"(?:(?:[\w.]|``.*?``)+: )?(?P<rule>.*?)(?:, got|, but|\. |; |\.?$)", re.S)


# A shape, a dtype or an object of the one call: no rule.
_ONE_CASE = re.compile(r"object at|\(\d+,\)|\(\d+(, \d+)+\)|\w\[\d|\[\]")


class _Other:
    """An object that no argument accepts."""

    def __repr__(self) -> str:
        return "an object"


def list_refusals(call: Call) -> list[tuple[str, str]]:
    """Return the type and the rule of the errors that wrong arguments raise, one at a time."""
    actual: dict[tuple[str, str], None] = {}
    for wrong in _make_wrong_calls(call):
        actual |= dict.fromkeys(describe_error(wrong))
    return list(actual)[:6]


def describe_error(wrong: Callable[[], Any]) -> list[tuple[str, str]]:
    """Return the type and the rule of the error of a wrong call; nothing if it states none."""
    with silence_output():
        try:
            wrong()
        except (TypeError, ValueError, RuntimeError, IndexError, KeyError) as error:
            text = str(error.args[0]) if error.args else ""
            match = RULE.match(text)
            rule = " ".join(match["rule"].split()) if match else ""
            good = re.match(r"[\w.]+: ", text) and " must " in rule and len(rule) < 150
            if good and not _ONE_CASE.search(rule):
                message = (
                    f'as in "{rule}".' if re.search(r"[\[(]-?\d+, -?\d+[)\]]", rule) else f"{rule}."
                )
                return [(type(error).__name__, message)]
        except Exception:
            pass
    return []


def _make_wrong_calls(call: Call) -> Any:
    def change_arguments(args: Any, kwargs: Any, make: Any, offered: Any) -> Any:
        values = [("", i, a) for i, a in enumerate(args)] + [(k, 0, a) for k, a in kwargs.items()]
        for key, i, a in values:
            for wrong in _choose_wrong_values(a):
                new, more = list(args), dict(kwargs)
                if key:
                    more[key] = wrong
                else:
                    new[i] = wrong
                yield lambda new=new, more=more: make(*new, **more)
        for p in offered[len(args) :]:
            if p.name in kwargs or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
                continue
            for wrong in _choose_wrong_values(None if p.default is p.empty else p.default):
                if p.kind is p.POSITIONAL_ONLY:
                    continue
                yield lambda p=p, wrong=wrong: make(*args, **{**kwargs, p.name: wrong})

    target = call.target
    if isinstance(target, Primitive):
        fields = [getattr(target, f) for f in target.fields]
        kind = type(target)
        if "__init__" not in vars(kind):
            yield from change_arguments(fields, {}, kind, [])
        yield from change_arguments(call.args, call.kwargs, target, [])
    elif isinstance(target, Cell):
        if call.constructor_args:
            offered = list(inspect.signature(type(target)).parameters.values())
            yield from change_arguments(*call.constructor_args, type(target), offered)
        yield from change_arguments(call.args, call.kwargs, target, [])
    else:
        offered = list(inspect.signature(target).parameters.values())
        yield from change_arguments(call.args, call.kwargs, target, offered)


def _choose_wrong_values(value: Any) -> list[Any]:
    if isinstance(value, Tensor):
        lead = np.resize(value.asnumpy(), (7, 5, 3, 2, 3, 2))
        return ["text", Tensor(lead)]
    if isinstance(value, bool):
        return ["text"]
    if isinstance(value, int | float):
        return ["text", -99, 1.5]
    if isinstance(value, str):
        return ["nonsense", 3]
    if isinstance(value, tuple | list):
        return ["text", -99]
    return [_Other()]
