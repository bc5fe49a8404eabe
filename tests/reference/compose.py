"""Compose a docstring of what the source says, what the op behind it says, and what calls show."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.nn.optim.optimizer import Optimizer
from tests.ops.samples import BAD, SAMPLES, load
from tests.reference import observe
from tests.reference.docstring import Docstring, parse
from tests.reference.examples import (
    Call,
    Example,
    Ran,
    adapt_op_examples,
    guess_examples,
    modules,
    parse_docstring_example,
    read_written_calls,
    silence_output,
)
from tests.reference.glossary import meaning
from tests.reference.names import Name, inputs, is_name_of_values, list_source_inputs, names

_OF_CLASS = re.compile(r"(?P<verb>Apply |Draw |)?:class:`(?P<op>\w+)`(?P<rest>.*)", re.S)
_OF_FUNCTION = re.compile(r":func:`(?P<name>\w+)`\.?$")

# Rooms whose names take and give tensors: wrong arguments can be tried without harm.
TENSORS = ("ops.", "nn.", "mint.", "F.", "mnp.", "linalg.", "Tensor.", "initializer.")
_NEVER_TRIED = {
    "ops.TensorDump",
    "ops.tensordump",
    "ops.GetNext",
    "ops.Send",
    "ops.Receive",
    "ops.Barrier",
    "ops.PyFunc",
}


# Ops that prepare the input or the output of another one, and so say little about a function.
_AUXILIARY_OPS = {
    "Abs", "Add", "Cast", "Complex", "ComplexAbs", "Concat", "Conj", "Div", "DivNoNan", "Equal",
    "Exp", "ExpandDims", "Greater", "GreaterEqual", "Identity", "IsNan", "Less", "Log",
    "LogicalAnd", "LogicalNot", "LogicalOr", "Maximum", "Minimum", "Mul", "Neg", "NotEqual",
    "OnesLike", "Pow", "Real", "ReduceMax", "Reshape", "Select", "Square", "Squeeze",
    "StopGradient", "Sub", "Transpose", "Zeros", "ZerosLike",
}  # fmt: skip


@dataclass(frozen=True)
class Reference:
    """All public names, by their paths and by the ids of what they name."""

    all: dict[str, Name]
    public: dict[int, str]

    @cached_property
    def ops(self) -> dict[str, Name]:
        return {n.path: n for n in self.all.values() if n.is_op}


@cache
def reference() -> Reference:
    """Collect the public names of the package, once."""
    modules()
    load()
    results_by_name = {n.qualified_name: n for n in names()}
    return Reference(
        results_by_name, {id(n.thing): n.qualified_name for n in results_by_name.values()}
    )


class Entry:
    """The entry of one public name in the reference."""

    def __init__(self, name: Name) -> None:
        self.name = name
        self.source_doc = parse(_source_docstring(name))

    @cached_property
    def op(self) -> Entry | None:
        """The entry of the op that a function calls."""
        if self.name.is_class:
            return None
        ops = reference().ops
        text = _OF_CLASS.match(self.source_doc.lead)
        if text and text["op"] in ops:
            return entry(ops[text["op"]].qualified_name)
        body = _parse_source(self.name.thing)
        calls = [n.func for n in ast.walk(body) if isinstance(n, ast.Call)] if body else []
        called = {f.id for f in calls if isinstance(f, ast.Name) and f.id in ops}
        same_name = {c for c in called if c.lower() == self.name.path.replace("_", "").lower()}
        candidates = same_name or called - _AUXILIARY_OPS or called
        return entry(ops[candidates.pop()].qualified_name) if len(candidates) == 1 else None

    @cached_property
    def twin(self) -> Entry | None:
        """The entry of the function of ``ops`` with the same name."""
        text = self.name.qualified_name
        leaf = text.rpartition(".")[2].rstrip("_")
        if text.startswith(("Tensor.", "mint.", "F.")) and text != f"ops.{leaf}":
            actual = f"ops.{leaf}" in reference().all
            return entry(f"ops.{leaf}") if actual and not self.name.is_class else None
        return None

    @cached_property
    def ran(self) -> Ran | None:
        """The record of the first example that runs."""
        for example in self._find_examples():
            ran = example.run(self.name)
            if ran.text:
                return ran
        return None

    def _find_examples(self) -> Any:
        if self.source_doc.example:
            source_doc = parse_docstring_example(
                self.source_doc.example, self.name, reference().public
            )
            if source_doc.statements:
                yield source_doc
        if self.name.qualified_name in read_written_calls():
            yield Example(read_written_calls()[self.name.qualified_name])
        if is_name_of_values(self.name.thing):
            yield Example([f"list({self.name.qualified_name})"])
        guess = next((e for e in self._guess_examples() if _reads_well(e, self.name)), None)
        if guess:
            yield guess

    def _guess_examples(self) -> Any:
        if self.op and self.op.example:
            yield from adapt_op_examples(self.name, self.op.name, self.op.example)
        if self._may_try():
            yield from guess_examples(self.name)

    @cached_property
    def example(self) -> Example | None:
        """The statements of the first example that runs."""
        return next((e for e in self._find_examples() if e.run(self.name).text), None)

    @cached_property
    def calls(self) -> list[Call]:
        """Calls to observe: the example's, and of an op its samples'."""
        results = [c for c in self.ran.calls if observe.is_eager(c)][:2] if self.ran else []
        if self.name.is_op:
            for s in SAMPLES.get(self.name.thing.name, [])[:6]:
                args = tuple(_to_tensors(a) for a in s.args)
                with silence_output():
                    try:
                        results.append(Call(args, {}, s.op(*args), s.op))
                    except Exception:
                        continue
        return results

    # -- sections -----------------------------------------------------------------------------

    @cached_property
    def lead(self) -> str:
        source_doc = self.source_doc.lead
        function = _OF_FUNCTION.match(source_doc)
        if function and f"ops.{function['name']}" in reference().all:
            source_doc = entry(f"ops.{function['name']}").lead
        text = _OF_CLASS.match(source_doc)
        if text and self.op and not self.name.is_class:
            formula = self._use_own_names(self.op.lead)
            rest = re.sub(r"^ (?:of|to) ``\w+``(?:,? (?:and )?``\w+``)*", "", text["rest"]).strip()
            more = f"\n\n{text['verb']}``{text['op']}``{text['rest']}" if len(rest) > 2 else ""
            source_doc = formula + more
        if self.name.is_op:
            return _rename_arguments(
                source_doc,
                *[[p.name for p in f(self.name.thing)] for f in (list_source_inputs, inputs)],
            )
        return source_doc

    def _use_own_names(self, text: str) -> str:
        """Replace the names of an op's inputs in ``text`` by the function's own."""
        assert self.op
        ours = [p.name for p in self.name.parameters() if p.name not in self.op.name.thing.fields]
        return _rename_arguments(text, [p.name for p in self.op.inputs], ours)

    @cached_property
    def inputs(self) -> list[inspect.Parameter]:
        fields = self.name.thing.fields
        return [p for p in self.name.parameters() if p.name not in fields]

    def argument(self, p: inspect.Parameter) -> tuple[str, str] | None:
        """Return the type and the description of an argument."""
        key = {p.VAR_POSITIONAL: f"*{p.name}", p.VAR_KEYWORD: f"**{p.name}"}.get(p.kind, p.name)
        source_doc = self.source_doc.args
        listed = parse("\nArgs:\n" + textwrap.indent(self.source_doc.attributes, "    ")).args
        for actual in (source_doc.get(key), source_doc.get(p.name), listed.get(p.name)):
            if actual:
                return actual
        if self.op and not self.name.is_class:
            theirs = [q for q in self.op.name.parameters() if q.name == p.name]
            actual = self.op.source_doc.args.get(p.name)
            if actual and theirs:
                return actual
        if self.twin:
            actual = self.twin.source_doc.args.get(p.name)
            if actual:
                return actual
        text = meaning(self.name.qualified_name, key) or meaning(self.name.qualified_name, p.name)
        return text or _find_field_comment(self.name.thing, p.name)

    def args(self) -> dict[str, tuple[str, str]]:
        options = {}
        printed = self.dtype_rule
        for p in self.name.parameters():
            actual = self.argument(p)
            if actual is None:
                continue
            key = {p.VAR_POSITIONAL: f"*{p.name}", p.VAR_KEYWORD: f"**{p.name}"}.get(p.kind, p.name)
            note = getattr(p.annotation, "__forward_arg__", p.annotation)
            note = re.sub(r"'|\b(?:mstype|np)\.", "", note) if isinstance(note, str) else ""
            kind = actual[0] or ("" if note == "Any" else note)
            text = re.sub(r"(?<!\.)\.$", "", actual[1])
            if printed and printed[0] == p.name:
                text = printed[1] if text == "what is computed on" else f"{text}; {printed[1]}"
            default = _format_default(p)
            if default and "efault" not in text:
                text = f"{_end_sentence(text)} Default: {default}"
            options[key] = (kind, _end_sentence(text))
        return options

    @cached_property
    def dtype_rule(self) -> tuple[str, str, str] | None:
        """The argument that decides the dtype, its dtypes, and the dtype of the result."""
        for call in self.calls[:3]:
            if not self._may_try():
                return None
            values, output = observe.dtype_rule(call)
            if values:
                names = observe.labels(call)
                at = observe.first(call)
                return names[at], values, output
        return None

    def _may_try(self) -> bool:
        return (
            self.name.qualified_name.startswith(TENSORS)
            and self.name.qualified_name not in _NEVER_TRIED
        )

    def returns(self) -> str:
        if self.source_doc.returns:
            return self.source_doc.returns
        message = meaning(self.name.qualified_name, "returns")
        if message:
            return message[1]
        if self.name.is_class and not (self.name.is_op or self.name.is_cell):
            return ""
        if self.name.is_cell:
            return ""
        if self.calls:
            rule = self.dtype_rule
            return _describe_result(self.calls[0].result, rule[2] if rule else "")
        return ""

    @property
    def _is_optimizer(self) -> bool:
        """Whether the gradients have the shapes of the Parameters, so that no shape needs
        stating.
        """
        return self.name.is_cell and issubclass(self.name.thing, Optimizer)

    def shape(self) -> list[str]:
        if self._is_optimizer:
            return []
        if self.source_doc.shape:
            return self.source_doc.shape
        calls = self.calls
        if self.op and self.op.calls and calls:
            message = self.op.shape_rule
            if message and self.shape_rule and "broadcast" in message:
                return [self._use_own_names(message)]
        if self.shape_rule:
            return [self.shape_rule]
        results = [s for c in calls if (s := observe.describe_shapes(c))]
        return list(dict.fromkeys(results))[:3]

    @cached_property
    def shape_rule(self) -> str | None:
        if not self._may_try():
            return None
        results = [r for c in self.calls if (r := observe.shape_rule(c))]
        wide = [r for r in results if "broadcast" in r]
        return (wide or results or [None])[0]

    def raises(self) -> list[tuple[str, str]]:
        if self.source_doc.raises:
            return self.source_doc.raises
        results = list(self.refused)
        if self.op:
            results += [r for r in self.op.refused if r not in results]
        return results[:6] or _find_stated_rules(self.name.thing)

    @cached_property
    def refused(self) -> list[tuple[str, str]]:
        actual: dict[tuple[str, str], None] = {}
        if self.name.is_op:
            for b in BAD.get(self.name.thing.name, []):
                actual |= dict.fromkeys(observe.describe_error(b.call))
        if self._may_try():
            for call in self.calls[:1]:
                actual |= dict.fromkeys(observe.list_refusals(call))
        return list(actual)[:6]

    def docstring(self) -> Docstring:
        """Compose the whole docstring."""
        source_doc = self.source_doc
        args, calls = self.args(), {}
        if self.name.is_op and self.name.thing.fields:
            called = {p.name for p in inputs(self.name.thing)} - self.name.thing.fields.keys()
            calls = {k: v for k, v in args.items() if k.lstrip("*") in called}
            args = {k: v for k, v in args.items() if k not in calls}
        source = source_doc.source or (self.op.source_doc.source if self.op else "")
        return Docstring(
            self.lead, args, calls, self.returns(), self.raises(), self.shape(), source,
            source_doc.note, self.ran.text if self.ran else "",
        )  # fmt: skip

    # -- what is missing ----------------------------------------------------------------------

    def missing(self, doc: Docstring) -> list[str]:
        """Return the sections that apply and that ``doc`` lacks."""
        results = []
        thing, name = self.name.thing, self.name
        for p in name.parameters():
            text = doc.args.keys() | doc.inputs.keys()
            if not {p.name, f"*{p.name}", f"**{p.name}"} & text:
                results.append(f"Args {p.name}")
        is_error = name.is_class and issubclass(thing, BaseException)
        note = getattr(thing, "__annotations__", {}).get("return", "")
        if not name.is_class and note not in ("None", "NoReturn") and not doc.returns:
            results.append("Returns")
        if not doc.raises and _has_raise(thing):
            results.append("Raises")
        if (
            not doc.shape
            and not self._is_optimizer
            and any(observe.describe_shapes(c) for c in self.calls)
        ):
            results.append("Shape")
        if not doc.example and not is_error and not meaning(name.qualified_name, "example"):
            results.append("Example")
        if not doc.lead:
            results.append("a first line")
        return results


@cache
def entry(text: str) -> Entry:
    """Return the entry of a public name."""
    return Entry(reference().all[text])


def _source_docstring(name: Name) -> str | None:
    if name.is_class:
        return name.thing.__dict__.get("__doc__")
    return name.thing.__doc__


def _reads_well(example: Example, name: Name) -> bool:
    ran = example.run(name)
    if ran.wrong or not ran.calls or not 0 < len(ran.text) < 420:
        return False
    output = ran.calls[0].result
    floats = isinstance(output, Tensor) and output.asnumpy().dtype.kind == "f"
    if floats and not np.isfinite(output.asnumpy()).all():
        return False
    return not example.draws(name)


def _to_tensors(a: Any) -> Any:
    if isinstance(a, np.ndarray):
        return Tensor(a)
    if isinstance(a, tuple | list) and any(isinstance(x, np.ndarray) for x in a):
        return tuple(_to_tensors(x) for x in a)
    return a


def _end_sentence(text: str) -> str:
    return text if text.endswith("...") else f"{text}."


def _rename_arguments(text: str, theirs: list[str], ours: list[str]) -> str:
    """Replace names of arguments in a text by others."""
    for a, b in zip(theirs, ours):
        if a != b and len(theirs) <= len(ours) and a not in ("a", "args"):
            text = re.sub(rf"(?<![\w.]){a}\b(?!\()", b, text)
    return text


def _format_default(p: inspect.Parameter) -> str:
    if p.default is p.empty or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
        return ""
    text = re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", repr(p.default))
    return "" if " at 0x" in text or "object" in text else text


def _describe_result(actual: Any, dtype: str) -> str:
    if isinstance(actual, Tensor):
        if not dtype:
            return f"Tensor, {actual.asnumpy().dtype.name}."
        joint = " " if dtype.startswith("of ") else ", "
        return f"Tensor{joint}{dtype}."
    if isinstance(actual, tuple | list) and actual and all(isinstance(m, Tensor) for m in actual):
        kinds = [m.asnumpy().dtype.name for m in actual]
        text = f"each {kinds[0]}" if len(set(kinds)) == 1 else ", ".join(kinds)
        return f"{type(actual).__name__} of {len(actual)} Tensors, {text}."
    if actual is None:
        return "None."
    if isinstance(actual, tuple | list) and actual and len({type(m) for m in actual}) == 1:
        return f"{type(actual).__name__} of {type(actual[0]).__name__}."
    return f"{type(actual).__name__}."


@cache
def _parse_source(thing: Any) -> ast.AST | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):
        return None


def _has_raise(thing: Any) -> bool:
    """Whether the source raises, in a function or where an object is made or called."""
    return any(_find_raised(thing))


def _find_raised(thing: Any) -> Iterator[ast.expr]:
    """Yield what a function raises, or a class where an object is made or called."""
    body = _parse_source(thing)
    if body is None or (inspect.isclass(thing) and issubclass(thing, BaseException)):
        return
    parts: list[Any] = [body]
    if inspect.isclass(thing):
        expected = {"__init__", "check", "infer", "construct", "__post_init__"}
        parts = [n for n in ast.walk(body) if isinstance(n, ast.FunctionDef) and n.name in expected]
    for part in parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Raise) and node.exc:
                yield node.exc


def _find_field_comment(thing: Any, field: str) -> tuple[str, str] | None:
    """Return the comment beside a field of a record."""
    if not inspect.isclass(thing) or _parse_source(thing) is None:
        return None
    text = re.search(rf"^ +{field}: [^#\n]*# *(.+)$", inspect.getsource(thing), re.M)
    return ("", text[1]) if text else None


def _find_stated_rules(thing: Any) -> list[tuple[str, str]]:
    """Return the rules that the errors in a function's or a class's source state."""
    actual: dict[tuple[str, str], None] = {}
    for raised in _find_raised(thing):
        if isinstance(raised, ast.Call) and raised.args:
            text = "".join(
                _format_part(part) for part in getattr(raised.args[0], "values", raised.args[:1])
            )
            match = observe.RULE.match(text)
            if match and " must " in match["rule"]:
                rule = " ".join(match["rule"].split()) + "."
                actual[ast.unparse(raised.func), rule[0].lower() + rule[1:]] = None
    return list(actual)[:6]


def _format_part(part: ast.expr) -> str:
    if isinstance(part, ast.FormattedValue):
        return f"``{ast.unparse(part.value)}``"
    return str(part.value) if isinstance(part, ast.Constant) else ""
