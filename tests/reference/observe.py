"""What a call shows: shapes, dtypes, and the rules that wrong arguments break."""

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
from tests.reference.examples import Call, _quiet
from tests.reference.names import inputs

_DTYPES = ["float16", "float32", "float64", "int32", "int64", "uint8", "bool", "complex64"]


class Repeated:
    """A call that can be made again with other arguments."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.args = list(call.args)

    def __call__(self, args: list[Any]) -> Any:
        if isinstance(self.call.of, Primitive | Cell):
            return self.call.of(*args, **self.call.kwargs)
        return self.call.of(*args, **self.call.kwargs)

    @property
    def at(self) -> list[int]:
        """Where tensors are given."""
        return [i for i, a in enumerate(self.args) if isinstance(a, Tensor)]


def is_eager(call: Call) -> bool:
    """Whether all its tensors have values: a call that is traced has none."""
    tensors = [a for a in (*call.args, *call.kwargs.values(), call.result) if isinstance(a, Tensor)]
    return all(t.value_.data is not None for t in tensors)


def labels(call: Call) -> list[str]:
    """The name of each positional argument."""
    thing = call.of
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
    """The shape of a tensor, or of each of several."""
    if isinstance(value, Tensor):
        return str(tuple(value.shape))
    if isinstance(value, tuple | list) and value:
        parts = [shape_of(v) for v in value]
        if all(p is not None for p in parts):
            return "[" + ", ".join(map(str, parts)) + "]"
    return None


def shown(call: Call) -> str | None:
    """``x (2, 3), y (3,) -> (2, 3)``; None if no tensor goes in or comes out."""
    out = shape_of(call.result)
    into = [f"{n} {shape_of(a)}".strip() for n, a in zip(labels(call), call.args)
            if shape_of(a) is not None]  # fmt: skip
    into += [f"{n} {shape_of(a)}" for n, a in call.kwargs.items() if shape_of(a) is not None]
    return f"{', '.join(into)} -> {out}" if out is not None and into else None


def shape_rule(call: Call) -> str | None:
    """The rule where shapes of every kind show the same one."""
    repeated = Repeated(call)
    at = repeated.at
    names = labels(call)
    tensors_elsewhere = any(isinstance(a, Tensor) for a in call.kwargs.values())
    if not isinstance(call.result, Tensor) or tensors_elsewhere or not 1 <= len(at) <= 3:
        return None
    texts = [f"``{names[i]}``" for i in at]
    if len(at) > 1:
        joined = f"{', '.join(texts[:-1])} and {texts[-1]}"
        whole = joined if len(set(texts)) == len(texts) else "The inputs"
        results = _tried(repeated, dict(zip(at, ((2, 1, 3), (4, 1), (1, 1)))))
        if results == (2, 4, 3):
            return f"{whole} broadcast together, to the output."
        results = [_tried(repeated, dict.fromkeys(at, s)) for s in ((2, 3, 4), (5,), (2, 2, 3, 2))]
        if results == [(2, 3, 4), (5,), (2, 2, 3, 2)]:
            return f"{whole} and the output have the same shape."
        if results == [(), (), ()]:
            return f"{whole} have any one shape; the output is a scalar."
        return None
    tried = {s: _tried(repeated, {at[0]: s}) for s in ((2, 3, 4), (5,), (2, 2, 3, 2), (1, 6))}
    worked = {s: m for s, m in tried.items() if m is not None}
    if len(worked) >= 3 and all(s == m for s, m in worked.items()):
        return f"{texts[0]} may have any shape; the output has the same."
    if len(worked) >= 3 and all(m == () for m in worked.values()):
        return f"{texts[0]} may have any shape; the output is a scalar."
    return None


def _tried(again: Repeated, shapes: dict[int, tuple[int, ...]]) -> tuple[int, ...] | None:
    args = list(again.args)
    for i, shape in shapes.items():
        args[i] = Tensor(np.resize(args[i].asnumpy(), shape))
    with _quiet():
        try:
            output = again(args)
        except Exception:
            return None
    return tuple(output.shape) if isinstance(output, Tensor) else None


# -- dtypes ----------------------------------------------------------------------------------------


def dtypes(call: Call) -> dict[str, str]:
    """The dtype of the result by that of the tensors that go in."""
    repeated = Repeated(call)
    if isinstance(call.of, Cell) and list(call.of.get_parameters()):
        return {}
    if not isinstance(call.result, Tensor) or any(isinstance(a, Parameter) for a in repeated.args):
        return {}
    at = [i for i in repeated.at if repeated.args[i].asnumpy().dtype.kind in "fc"] or repeated.at
    if not at:
        return {}
    actual = {}
    for name in _DTYPES:
        args = list(repeated.args)
        with _quiet():
            for i in at:
                args[i] = Tensor(args[i].asnumpy().astype(name))
            try:
                actual[name] = repeated(args).asnumpy().dtype.name
            except Exception:
                continue
    return actual


def first(call: Call) -> int:
    """Where the tensor is whose dtype the others follow."""
    repeated = Repeated(call)
    at = [i for i in repeated.at if repeated.args[i].asnumpy().dtype.kind in "fc"] or repeated.at
    return at[0]


def dtype_rule(call: Call) -> tuple[str, str]:
    """What tensors may hold, and what the result holds then."""
    actual = dtypes(call)
    if not actual:
        return "", ""
    names = labels(call)
    repeated = Repeated(call)
    at = [i for i in repeated.at if repeated.args[i].asnumpy().dtype.kind in "fc"] or repeated.at
    text = "any dtype" if len(actual) == len(_DTYPES) else _listed(list(actual))
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
    message = ", ".join(f"{b} for {_listed(a)}" for b, a in other.items())
    return text, (f"of the dtype of ``{names[at[0]]}``; {message}" if same else message)


def _listed(names: list[str]) -> str:
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
    """No argument of anything."""

    def __repr__(self) -> str:
        return "an object"


def refused(call: Call) -> list[tuple[str, str]]:
    """The errors that wrong arguments raise, one at a time: the type and the rule."""
    actual: dict[tuple[str, str], None] = {}
    for wrong in _wrongs(call):
        actual |= dict.fromkeys(raised(wrong))
    return list(actual)[:6]


def raised(wrong: Callable[[], Any]) -> list[tuple[str, str]]:
    """The error of a wrong call: its type and the rule that it states; nothing if it has none."""
    with _quiet():
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


def _wrongs(call: Call) -> Any:
    def changed(args: Any, kwargs: Any, make: Any, offered: Any) -> Any:
        values = [("", i, a) for i, a in enumerate(args)] + [(k, 0, a) for k, a in kwargs.items()]
        for key, i, a in values:
            for wrong in _instead(a):
                new, more = list(args), dict(kwargs)
                if key:
                    more[key] = wrong
                else:
                    new[i] = wrong
                yield lambda new=new, more=more: make(*new, **more)
        for p in offered[len(args) :]:
            if p.name in kwargs or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
                continue
            for wrong in _instead(None if p.default is p.empty else p.default):
                if p.kind is p.POSITIONAL_ONLY:
                    continue
                yield lambda p=p, wrong=wrong: make(*args, **{**kwargs, p.name: wrong})

    of = call.of
    if isinstance(of, Primitive):
        fields = [getattr(of, f) for f in of.fields]
        kind = type(of)
        if "__init__" not in vars(kind):
            yield from changed(fields, {}, kind, [])
        yield from changed(call.args, call.kwargs, of, [])
    elif isinstance(of, Cell):
        if call.made:
            offered = list(inspect.signature(type(of)).parameters.values())
            yield from changed(*call.made, type(of), offered)
        yield from changed(call.args, call.kwargs, of, [])
    else:
        offered = list(inspect.signature(of).parameters.values())
        yield from changed(call.args, call.kwargs, of, offered)


def _instead(value: Any) -> list[Any]:
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
