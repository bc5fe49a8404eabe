"""What an op is stands on its class, and each table by name names ops that there are."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest

from minispore import Tensor, grad
from minispore.core import interpreter
from minispore.core.primitive import Arithmetic, Primitive
from minispore.device.model import cost, table
from minispore.device.model.table import TRANSCENDENTAL, get_op_cost
from minispore.ir.registry import registry
from minispore.train import amp
from minispore.train.interchange import onnx_ops
from tests.ops.test_contract import KERNELS, by_id, poisoned, run, same, specs_of, static_kernels

# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(table.TABLE, id="prices of the device"),
        pytest.param(cost.NORMS, id="norms of the device"),
        pytest.param(amp._WHITE_OPS, id="O1"),
        pytest.param(amp.AUTO_WHITE, id="auto: low"),
        pytest.param(amp.AUTO_BLACK, id="auto: full"),
        pytest.param(amp.AUTO_PROMOTE, id="auto: widest"),
        pytest.param(onnx_ops.RULES, id="ONNX"),
    ],
)
def test_each_name_of_a_table_is_an_op(names: Collection[str]) -> None:
    assert [n for n in names if n not in registry] == []


def test_a_kernel_of_the_device_that_is_an_op_stands_among_the_ops() -> None:
    assert [n for n in table.KERNELS if n in registry] == []


# -- kernels and calls -----------------------------------------------------------------------------


@by_id([s for s in KERNELS if s.op.traits.has_calls])
def test_bound_calls_compute_what_the_kernel_computes(s: Any) -> None:
    for prim, args, _ in static_kernels(s):
        if not prim.traits.has_calls or prim.mutates:
            continue
        specs = specs_of(prim, args)
        expected, got = [tuple(poisoned(spec, 0xFF) for spec in specs) for _ in range(2)]
        run(prim, args, expected)
        inputs = [Tensor(a).value_.spec if isinstance(a, np.ndarray) else a for a in args]
        work = [np.empty(w.shape, w.dtype) for w in prim.scratch(*inputs)]
        for call in prim.calls(*args, out=got[0] if len(got) == 1 else got, work=work):
            call()
        assert all(same(a, b) for a, b in zip(expected, got, strict=True))


def test_a_subclass_kernel_does_not_use_the_calls_of_its_base() -> None:
    class _Base(Primitive):
        def kernel(self, x: Any, *, out: Any) -> None: ...

        def calls(self, x: Any, *, out: Any, work: Any) -> Any: ...

    class _OtherKernel(_Base):
        def kernel(self, x: Any, *, out: Any) -> None: ...

    class _OtherCalls(_Base):
        def calls(self, x: Any, *, out: Any, work: Any) -> Any: ...

    assert _Base.traits.has_calls
    assert not _OtherKernel.traits.has_calls
    assert _OtherCalls.traits.has_calls
    assert _OtherCalls.kernel is Primitive.kernel


# -- prices ----------------------------------------------------------------------------------------

SERIES = {
    np.exp, np.exp2, np.expm1, np.log, np.log1p, np.log2, np.log10, np.power, np.logaddexp,
    np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2,
    np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh,
}  # fmt: skip


class Watched(np.ndarray):
    """An array that notes which ufuncs it meets."""

    met: set[np.ufunc] = set()

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        def plain(a: Any) -> Any:
            return a.view(np.ndarray) if isinstance(a, Watched) else a

        Watched.met.add(ufunc)
        if "out" in kwargs:
            kwargs["out"] = tuple(plain(o) for o in kwargs["out"])
        if "where" in kwargs:
            kwargs["where"] = plain(kwargs["where"])
        output = getattr(ufunc, method)(*[plain(a) for a in args], **kwargs)
        return output.view(Watched) if isinstance(output, np.ndarray) else output


@by_id([s for s in KERNELS if s.op.pointwise])
def test_what_is_computed_by_a_series_says_that_it_is_transcendental(s: Any) -> None:
    for prim, args, _ in static_kernels(s):
        if prim.pointwise:
            Watched.met = set()
            watched = [a.view(Watched) if isinstance(a, np.ndarray) else a for a in args]
            results = [
                np.empty(spec.shape, spec.dtype).view(Watched) for spec in specs_of(prim, args)
            ]
            with np.errstate(all="ignore"):
                run(prim, tuple(watched), tuple(results))
            assert prim.arithmetic is Arithmetic.TRANSCENDENTAL or not Watched.met & SERIES


@pytest.mark.parametrize("name", ["Exp", "Cosh", "Tan", "Log1p", "Expm1", "Erfc", "SeLU", "Pow"])
def test_a_transcendental_op_is_priced_as_one(name: str) -> None:
    assert get_op_cost(name).work == TRANSCENDENTAL
    assert get_op_cost(name).elementwise


def test_an_op_that_renames_is_a_view_and_one_that_multiplies_is_for_the_cube() -> None:
    assert [get_op_cost(n).engine for n in ("Reshape", "Squeeze", "MatMul", "Conv3D")] == [
        "view", "view", "cube", "cube",
    ]  # fmt: skip


# -- derivatives -----------------------------------------------------------------------------------


def test_ops_bound_by_a_derivative_have_an_origin() -> None:
    seen = []

    def around(prim: Any, args: Any) -> Any:
        seen.append((prim.name, interpreter.origin() is not None))
        with interpreter.overriding_bind(None):
            return interpreter.bind(prim, args)

    with interpreter.overriding_bind(around):
        grad(lambda x: x * x)(Tensor([1.0, 2.0]))
    assert ("Mul", False) in seen
    assert ("Mul", True) in seen
    assert interpreter.origin() is None
