"""Steps: an op as a sequence of other ops, which the compiler substitutes and the op's kernel runs.

Both modes run the same steps, so they agree to the last bit. In a graph equal steps of several ops
(the columns of a convolution and of its weight gradient) are merged. Op by op they are computed
once where it pays, see :mod:`minispore.execution.kernels.saved_intermediates`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from minispore import context
from minispore.execution import half, layout
from minispore.execution.kernels import saved_intermediates
from minispore.ir.operator import Operator
from minispore.ir.registry import registry
from minispore.ir.value import Spec


def run(prim: Operator, args: Sequence[Any], out: np.ndarray) -> None:
    """Run a composite op: the steps, ops it consists of, that the last one needs, and the last one
    into ``out``.

    Intermediates may be saved for the gradient. Those that an earlier op saved are not computed.
    """
    specs = tuple([Spec(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args])
    steps, outputs = _infer_steps(prim, specs), dict[int, np.ndarray]()
    last = steps[-1]
    half.execute(last.prim, [_compute_value(i, args, steps, outputs) for i in last.operands], out)


def iterate_kernels(
    prim: Operator, args: Sequence[Any], out: np.ndarray
) -> Iterator[tuple[Operator, list[Any], np.ndarray]]:
    """Yield each step of ``prim`` that needs a kernel, with its input arrays and its output array
    (``out`` for the last step).

    Steps that are views of their input are left out.
    """
    specs = tuple([Spec(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args])
    values = list(args)
    *steps, last = _infer_steps(prim, specs)
    for step in steps:
        reads = [values[i] for i in step.operands]
        output = _find_view(step.prim, reads)
        if output is None:
            output = layout.empty(step.spec, step.prim.layout, tuple(reads))
            yield step.prim, reads, output
        values.append(output)
    yield last.prim, [values[i] for i in last.operands], out


def _compute_value(
    i: int, args: Sequence[Any], steps: list[_Step], outputs: dict[int, np.ndarray]
) -> Any:
    """Return value ``i``: an argument, or the output of a step, which is run if it has not run yet.

    The output of a step marked ``output_is_saved`` is taken from the saved intermediates, or
    computed and saved if it is missing.
    """
    if i < len(args):
        return args[i]
    if i not in outputs:
        step = steps[i - len(args)]
        is_saved = bool(step.chain) and step.prim.vjp_rule.output_is_saved
        output = saved_intermediates.take_saved(step.chain, args[step.start]) if is_saved else None
        if output is None:
            reads = [_compute_value(j, args, steps, outputs) for j in step.operands]
            output = _compute_step(step.prim, reads, step.spec)
            if is_saved:
                saved_intermediates.save(output, step.chain, args[step.start])
        outputs[i] = output
    return outputs[i]


def _compute_step(step: Operator, args: list[Any], spec: Spec) -> np.ndarray:
    """Return the output of a step: a view of its input where possible, otherwise a new array."""
    output = _find_view(step, args)
    if output is None:
        output = layout.empty(spec, step.layout, tuple(args))
        half.execute(step, args, output)
    return output


def _find_view(step: Operator, args: list[Any]) -> np.ndarray | None:
    """Return a step's output as a view of its input, or None if it needs a copy."""
    view = step.view(*args) if step.traits.has_view else None
    return None if view is None or layout.is_misread_by_numpy(view) else view


def expand_to_steps(
    prim: Operator, specs: tuple[Any, ...]
) -> list[tuple[Operator, tuple[int, ...]]]:
    """Return the steps of ``prim``, each with the indices of the values that it reads.

    The arguments are numbered first, then the output of each step. For float16 and bfloat16 the
    steps compute in float32, between conversions.
    """
    half_inputs = [i for i, s in enumerate(specs) if isinstance(s, Spec) and half.is_half(s.dtype)]
    if not half_inputs:
        return prim.lower_to_steps(*specs).entries
    convert, count = registry["Converted"], len(specs)
    float32_specs = [
        Spec(s.shape, half.FLOAT32) if i in half_inputs else s for i, s in enumerate(specs)
    ]
    new_numbers = [count + half_inputs.index(i) if i in half_inputs else i for i in range(count)]
    expanded: list[tuple[Operator, tuple[int, ...]]] = [
        (convert("float32"), (i,)) for i in half_inputs
    ]
    for step, reads in prim.lower_to_steps(*float32_specs).entries:
        new_reads = tuple(new_numbers[i] if i < count else i + len(half_inputs) for i in reads)
        expanded.append((step, new_reads))
    return [*expanded, (convert(specs[half_inputs[0]].dtype.name), (count + len(expanded) - 1,))]


class _Step(NamedTuple):
    """A step of an op on arguments of given specs.

    Attributes:
        prim: the primitive.
        operands: the indices of the values that it reads.
        spec: the spec of its output.
        chain: the steps from an argument to this step, if each reads one value; otherwise ().
        start: the index of that argument.
    """

    prim: Operator
    operands: tuple[int, ...]
    spec: Spec
    chain: tuple[Operator, ...]
    start: int


@lru_cache(maxsize=1024)
def _infer_steps(prim: Operator, specs: tuple[Any, ...]) -> list[_Step]:
    """Return the steps of ``prim`` on arguments of these specs, with inferred output specs; cached
    until ``_on_context_change`` clears them.
    """
    value_specs, inferred = list(specs), list[_Step]()
    for step, reads in expand_to_steps(prim, specs):
        value_specs.append(step.infer(*[value_specs[i] for i in reads]))
        chain: tuple[Operator, ...] = ()  # one-input steps from one argument to this step
        start = reads[0]
        if len(reads) == 1 and start < len(specs):
            chain = (step,)
        elif len(reads) == 1 and (previous := inferred[start - len(specs)]).chain:
            chain, start = (*previous.chain, step), previous.start
        inferred.append(_Step(step, reads, value_specs[-1], chain, start))
    return inferred


def _on_context_change(old: context.Context, new: context.Context) -> None:
    """Drop the cached steps: a setting may change how an op is lowered."""
    _infer_steps.cache_clear()


context.subscribe(_on_context_change)
