"""An op whose inputs lie in one buffer gives what it gives of inputs that lie apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor
from minispore.execution import random
from tests.ops.samples import Sample, tensors
from tests.ops.test_contract import KERNELS, outputs_of, same_draws  # noqa: F401


def seen_as(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Views of ``a`` in the shape of ``b``."""
    if a.dtype != b.dtype or not b.size:
        return
    if a.shape == b.shape:
        yield "itself", lambda t: t
        if a.ndim:
            yield "backwards", lambda t: t[::-1]
    elif b.size <= a.size:
        yield "its beginning", lambda t: t.reshape(-1)[: b.size].reshape(b.shape)


def overlaps() -> list[Any]:
    """A sample, the place of an input that its kernel may overwrite, that of another, a view."""
    actual: dict[tuple[Any, ...], Any] = {}  # one sample for each op, places and view
    for s in KERNELS:
        for i in {*s.op.reuse, *s.op.mutates}:
            for j, b in enumerate(s.args):
                a = s.args[i] if i < len(s.args) else None
                if j in (i, *s.op.mutates) or not all(isinstance(x, np.ndarray) for x in (a, b)):
                    continue
                for name, view in seen_as(a, b):
                    case = pytest.param(s, i, j, view, id=f"{s}-{i}-{j}-{name}")
                    actual.setdefault((s.op.name, i, j, name), case)
    return list(actual.values())


def bits(actual: Any) -> list[bytes]:
    return [np.asarray(o).tobytes() for o in outputs_of(actual)]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PYNATIVE", "GRAPH"])
@pytest.mark.parametrize(("s", "i", "j", "view"), overlaps())
def test_inputs_that_overlap_are_read_before_one_is_overwritten(
    s: Sample, i: int, j: int, view: Callable[[Any], Any], mode: int
) -> None:
    def make_args(separate: bool) -> list[Any]:
        args = tensors(s.args)
        for k in s.op.mutates:
            args[k] = Parameter(args[k], name=f"p{k}")
        args[j] = view(Tensor(s.args[i])) if separate else None
        return args

    def run(args: list[Any]) -> list[bytes]:
        values_by_name = {k: a for k, a in enumerate(args) if k in s.op.mutates}

        def f(*free: Any) -> Any:
            at = {
                **values_by_name,
                **dict(zip((k for k in range(len(args)) if k not in values_by_name), free)),
            }
            if args[j] is None:
                at[j] = view(at[i])
            return s.op(*[at[k] for k in range(len(args))])

        random.set_seed(7)
        output = (ms.jit(f) if mode == ms.GRAPH_MODE else f)(
            *[a for k, a in enumerate(args) if k not in values_by_name]
        )
        return [*bits(output), *[bits(p)[0] for p in values_by_name.values()]]

    assert run(make_args(separate=False)) == run(make_args(separate=True))
