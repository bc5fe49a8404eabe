"""What every op of the registry must keep, on the samples of ``samples_<family>.py``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minispore
import minispore.graph
import minispore.ops
from minispore import Tensor
from minispore.core import interpreter
from minispore.core.interpreter import infer
from minispore.core.primitive import Effect
from minispore.execution import layout, random
from minispore.execution.kernels import steps
from minispore.graph.blocks import BoundNode
from minispore.ir import runtime
from minispore.ir.node import Node
from minispore.ir.registry import registry
from minispore.ir.value import Spec, Value
from tests.ops.internal_ops import INTERNAL
from tests.ops.samples import BAD, ELSEWHERE, SAMPLES, Sample, load, tensors

load()
ALL = [s for result in SAMPLES.values() for s in result]


def has_kernel(prim: Any) -> bool:
    own = type(prim).kernel is not minispore.ops.Primitive.kernel
    return own or prim.traits.has_calls or prim.traits.lowers_to_steps


KERNELS = [s for s in ALL if has_kernel(s.op)]
NAMES = sorted(n for n, op in registry.items() if not getattr(op, "question", False))


def by_id(samples: list[Any]) -> Any:
    return pytest.mark.parametrize("s", samples, ids=str)


@pytest.fixture(autouse=True)
def same_draws() -> Iterator[None]:
    """Random ops draw the same in each run of a test, and nothing is left of it."""
    before = random.get_state()
    random.set_seed(7)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        yield
    random.set_state(before)


# -- every op is here ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_op_has_a_sample(name: str) -> None:
    assert name in SAMPLES or name in ELSEWHERE, f"write a sample of {name}, or say elsewhere()"


@pytest.mark.parametrize("name", [n for n in NAMES if n not in INTERNAL])
def test_every_op_refuses_some_bad_input(name: str) -> None:
    assert name in BAD or name in ELSEWHERE, f"write a bad input of {name}"


@pytest.mark.parametrize("name", sorted(registry))
def test_every_op_says_what_it_computes(name: str) -> None:
    assert registry[name].__dict__.get("__doc__"), f"{name} has no docstring"


# -- running a kernel by hand ----------------------------------------------------------------------


def values(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays as values, so that ``infer`` sees their specs."""
    return tuple(Value(Spec(a.shape, a.dtype), a) if isinstance(a, np.ndarray) else a for a in args)


class Recorder:
    """Sees which nodes a public call binds."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []

    def record(self, prim: Any, args: tuple[Any, ...], outputs: tuple[Value, ...]) -> None:
        self.nodes.append((prim, args, outputs))

    def reaches(self, value: Value) -> bool:
        return False


def calls(s: Sample) -> list[tuple[Any, tuple[Any, ...], tuple[Any, ...]]]:
    """The nodes that ``s.op(*s.args)`` binds, with arrays as inputs and outputs.

    An op may do part of its work in ``__call__`` (promotion, static arguments, a composition).
    """
    recorder = Recorder()
    with interpreter.recording_on((recorder,)):
        s.op(*tensors(s.args))
    return [
        (
            prim,
            tuple(a.data if isinstance(a, Value) else a for a in args),
            tuple(o.data for o in outputs),
        )
        for prim, args, outputs in recorder.nodes
    ]


def specs_of(prim: Any, args: tuple[Any, ...]) -> tuple[Spec, ...]:
    output = infer(prim, values(args))
    return (output,) if isinstance(output, Spec) else tuple(output)


def poisoned(spec: Spec, pattern: int) -> np.ndarray:
    """Uninitialised memory at its worst."""
    buffer = np.full(max(spec.nbytes, 1), pattern, np.uint8)
    if spec.dtype.kind == "b":
        buffer[:] = pattern & 1
    return np.frombuffer(buffer.data, spec.dtype, spec.size).reshape(spec.shape)


def run(prim: Any, args: tuple[Any, ...], outs: tuple[np.ndarray, ...]) -> None:
    """Run the kernel, drawing the same random numbers each time."""
    state = random.get_state()
    single = isinstance(infer(prim, values(args)), Spec)
    prim.kernel(*args, out=outs[0] if single else outs)
    random.set_state(state)


def frozen(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies that can't be written to and lie as their originals do."""
    outputs = []
    for a in args:
        if isinstance(a, np.ndarray):
            a = a.copy("K")
            a.flags.writeable = False
        outputs.append(a)
    return tuple(outputs)


def same(a: np.ndarray, b: np.ndarray, tolerance: float = 0.0) -> bool:
    if a.dtype.kind in "fc" and tolerance:
        scale = np.nanmax(np.abs(b), initial=0.0, where=np.isfinite(b))
        return np.allclose(a, b, rtol=tolerance, atol=tolerance * float(scale), equal_nan=True)
    return a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def static_kernels(s: Sample) -> list[tuple[Any, tuple[Any, ...], tuple[Any, ...]]]:
    return [c for c in calls(s) if not c[0].dynamic and has_kernel(c[0])]


# -- one node --------------------------------------------------------------------------------------


@by_id(ALL)
def test_inferred_specs_are_those_of_the_results(s: Sample) -> None:
    for prim, args, outputs in calls(s):
        if not prim.dynamic:
            specs = tuple(Spec(o.shape, o.dtype) for o in outputs)
            assert specs_of(prim, args) == specs, prim


@by_id(KERNELS)
def test_every_element_of_the_output_is_written(s: Sample) -> None:
    for prim, args, _ in static_kernels(s):
        specs = specs_of(prim, args)
        first = tuple(poisoned(spec, 0xFF) for spec in specs)
        second = tuple(poisoned(spec, 0x00) for spec in specs)
        run(prim, frozen(args), first)
        run(prim, frozen(args), second)
        for a, b in zip(first, second, strict=True):
            assert same(a, b), f"{prim}: {a} where memory held 0xFF, {b} where it held 0"


@by_id(KERNELS)
def test_inputs_stay_as_they_are(s: Sample) -> None:
    for prim, args, _ in static_kernels(s):
        stored = frozen(args)  # writing to one of them raises
        run(prim, stored, tuple(poisoned(spec, 0xFF) for spec in specs_of(prim, args)))
        assert all(
            same(a, b) for a, b in zip(stored, args, strict=True) if isinstance(a, np.ndarray)
        )


def strided(a: np.ndarray) -> np.ndarray:
    """A copy with gaps between its elements, in reversed order along the last axis where kernels
    get such an array.
    """
    if not a.ndim:
        return a.copy()
    big = np.empty((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
    view = big[..., ::2] if layout.is_misread_by_numpy(a[..., ::-1]) else big[..., ::-2]
    view[...] = a
    return view


def columns_first(a: np.ndarray) -> np.ndarray:
    """A copy in Fortran order."""
    return a.copy(order="F")


def batch_last(a: np.ndarray) -> np.ndarray:
    """A copy with axis 0 innermost in memory."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 0, -1)), -1, 0) if a.ndim > 1 else a


@pytest.mark.parametrize("arranged", [columns_first, strided, batch_last])
@by_id(KERNELS)
def test_strides_of_inputs_and_outputs_do_not_matter(s: Sample, arranged: Any) -> None:
    for prim, args, _ in static_kernels(s):
        specs = specs_of(prim, args)
        plain = tuple(poisoned(spec, 0xFF) for spec in specs)
        run(prim, frozen(args), plain)
        moved = tuple(arranged(a) if isinstance(a, np.ndarray) else a for a in args)
        outs = tuple(arranged(poisoned(spec, 0xFF)) for spec in specs)
        outs = tuple(o if o.flags.writeable else o.copy() for o in outs)
        run(prim, moved, outs)
        for a, b in zip(outs, plain, strict=True):
            assert same(a, b, s.tolerance), f"{prim}: {a} and {b}"


@by_id([s for s in KERNELS if s.op.reuse])
def test_an_output_may_reuse_the_memory_of_a_reusable_input(s: Sample) -> None:
    for prim, args, _ in static_kernels(s):
        specs = specs_of(prim, args)
        for i in prim.reuse:
            if i >= len(args) or not isinstance(args[i], np.ndarray):
                continue
            if Spec(args[i].shape, args[i].dtype) != specs[0]:
                continue
            fresh = tuple(poisoned(spec, 0xFF) for spec in specs)
            run(prim, frozen(args), fresh)
            shared = args[i].copy()
            inputs = (*frozen(args[:i]), shared, *frozen(args[i + 1 :]))
            outs = (shared, *[poisoned(spec, 0xFF) for spec in specs[1:]])
            run(prim, inputs, outs)
            for a, b in zip(outs, fresh, strict=True):
                assert same(a, b), f"{prim}: over input {i} {a}, else {b}"


@by_id(ALL)
def test_only_an_op_that_says_so_draws_random_numbers(s: Sample) -> None:
    """A graph puts the streams back when a guard fails, if it holds a node that ``draws``."""
    for prim, args, _ in calls(s):
        if not has_kernel(prim):
            continue
        before = random.get_state()
        if prim.dynamic:
            prim.kernel(*args)
        else:
            specs = specs_of(prim, args)
            outs = tuple(poisoned(spec, 0x00) for spec in specs)
            inputs = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
            prim.kernel(
                *inputs, out=outs[0] if isinstance(infer(prim, values(args)), Spec) else outs
            )
        moved = random.get_state() != before
        assert not moved or prim.effect is Effect.RANDOM, f"{prim} draws: its effect is RANDOM"


@by_id([s for s in KERNELS if s.op.mutates])
def test_in_place_and_into_fresh_memory_give_the_same(s: Sample) -> None:
    for prim, args, _ in static_kernels(s):
        specs = specs_of(prim, args)
        fresh = tuple(poisoned(spec, 0xFF) for spec in specs)
        run(prim, frozen(args), fresh)
        inputs = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        outs = tuple(
            inputs[prim.mutates[i]] if i < len(prim.mutates) else poisoned(spec, 0xFF)
            for i, spec in enumerate(specs)
        )
        run(prim, tuple(inputs), outs)
        for a, b in zip(outs, fresh, strict=True):
            assert same(a, b), f"{prim}: in place {a}, fresh {b}"


@by_id([s for s in KERNELS if s.op.pointwise])
def test_a_pointwise_op_may_be_computed_slice_by_slice(s: Sample) -> None:
    for prim, args, (out, *_) in static_kernels(s):
        if not prim.pointwise:
            continue
        many = [
            np.concatenate([a] * 37) if isinstance(a, np.ndarray) and a.ndim == out.ndim > 0 else a
            for a in args
        ]
        whole = poisoned(specs_of(prim, tuple(many))[0], 0xFF)
        run(prim, frozen(tuple(many)), (whole,))
        inputs = [Value(Spec(a.shape, a.dtype)) if isinstance(a, np.ndarray) else a for a in many]
        spec = Spec(whole.shape, whole.dtype)
        sliced = BoundNode(Node(prim, tuple(inputs), (Value(spec),)), many, (poisoned(spec, 0xFF),))
        for axis, length in enumerate(whole.shape):
            for part in sliced.slice_output(axis, [slice(i, i + 5) for i in range(0, length, 5)]):
                run(prim, tuple(part.args), part.outs)
            assert same(sliced.outs[0], whole), f"{prim}: {sliced.outs[0]} and {whole}"


@by_id([s for s in ALL if s.op.traits.has_view])
def test_the_view_holds_what_the_kernel_copies(s: Sample) -> None:
    for prim, args, _ in static_kernels(s):
        seen = prim.view(*args) if prim.traits.has_view else None
        if seen is not None:
            out = poisoned(specs_of(prim, args)[0], 0xFF)
            run(prim, frozen(args), (out,))
            assert same(np.asarray(seen), out)


# -- derivatives -----------------------------------------------------------------------------------


@by_id([s for s in ALL if s.op.traits.lowers_to_steps])
def test_the_last_step_has_the_strides_of_the_op(s: Sample) -> None:
    """A graph has the step's output, PYNATIVE the op's; sums of them must meet the same order."""
    for prim, args, _ in static_kernels(s):
        (out,) = (layout.empty(spec, prim.layout, args) for spec in specs_of(prim, args))
        *_, (last, reads, _) = steps.iterate_kernels(prim, args, out)
        step_output = layout.empty(Spec(out.shape, out.dtype), last.layout, tuple(reads))
        if last.traits.has_view:
            seen = last.view(*reads)
            step_output = step_output if seen is None else seen
        assert step_output.strides == out.strides


def weighted(s: Sample, at: tuple[int, ...], seeded: bool = True) -> Any:
    """A scalar function of the inputs ``at``: a fixed weighted sum of all float outputs.

    ``seeded``: each call draws the same random numbers.
    """

    def f(*xs: Tensor) -> Tensor:
        args = tensors(s.args)
        for i, x in zip(at, xs, strict=True):
            args[i] = x
        outs = s.op(*args)
        total = None
        for k, out in enumerate(outs if isinstance(outs, tuple) else (outs,)):
            if out.dtype.kind == "f":
                w = np.random.default_rng(k).uniform(0.5, 1.5, out.shape)
                part = (out * Tensor(w.astype(dtype_of(out)))).sum()
                total = part if total is None else total + part
        assert total is not None, "no float output to differentiate"
        return total

    def run_seeded(*xs: Tensor) -> Tensor:
        random.set_seed(7)
        return f(*xs)

    return run_seeded if seeded else f


def dtype_of(t: Tensor) -> np.dtype:
    return t.value_.spec.dtype


def doubled(s: Sample) -> Sample:
    """The sample in float64."""

    def wide(a: Any) -> Any:
        if isinstance(a, np.ndarray) and a.dtype.kind == "f":
            return a.astype(np.float64)
        if isinstance(a, tuple | list):
            return tuple(wide(x) for x in a)
        return a

    return Sample(s.op, tuple(wide(a) for a in s.args), s.wrt, s.second, s.tolerance)


def directions(xs: list[np.ndarray], seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, x.shape) for x in xs]


def slope(f: Any, xs: list[np.ndarray], along: list[np.ndarray], h: float = 1e-6) -> float:
    """The central difference of f at xs."""
    up = float(f(*[Tensor(x + h * d) for x, d in zip(xs, along, strict=True)]))
    down = float(f(*[Tensor(x - h * d) for x, d in zip(xs, along, strict=True)]))
    return (up - down) / (2 * h)


def product(grads: Any, along: list[np.ndarray]) -> float:
    return sum(float((g.asnumpy() * d).sum()) for g, d in zip(grads, along, strict=True))


def gradients(f: Any, xs: Any) -> tuple[Tensor, ...]:
    """One gradient for each of xs; ``grad`` gives a single one as it is."""
    gradient = minispore.grad(f, tuple(range(len(xs))))(*xs)
    return gradient if isinstance(gradient, tuple) else (gradient,)


DIFFERENTIABLE = [s for s in ALL if s.wrt]


@by_id(DIFFERENTIABLE)
def test_gradients_are_those_of_finite_differences(s: Sample) -> None:
    s = doubled(s)
    f, xs = weighted(s, s.wrt), [s.args[i] for i in s.wrt]
    grads = gradients(f, [Tensor(x) for x in xs])
    for g, x in zip(grads, xs, strict=True):
        assert (g.shape, dtype_of(g)) == (x.shape, x.dtype)
    for seed in (1, 2):
        along = directions(xs, seed)
        assert product(grads, along) == pytest.approx(slope(f, xs, along), rel=2e-6, abs=2e-7)


@by_id([s for s in DIFFERENTIABLE if s.second])
def test_second_derivatives_are_those_of_finite_differences(s: Sample) -> None:
    s = doubled(s)
    f, xs = weighted(s, s.wrt), [s.args[i] for i in s.wrt]
    inner = directions(xs, 3)

    def g(*xs: Tensor) -> Tensor:
        total = None
        for dx, d in zip(gradients(f, xs), inner, strict=True):
            part = (dx * Tensor(d)).sum()
            total = part if total is None else total + part
        return total  # type: ignore[return-value]

    grads = gradients(g, [Tensor(x) for x in xs])
    along = directions(xs, 4)
    assert product(grads, along) == pytest.approx(slope(g, xs, along), rel=2e-5, abs=2e-6)


# -- both modes ------------------------------------------------------------------------------------


def outputs_of(actual: Any) -> list[np.ndarray]:
    return [t.asnumpy() for t in (actual if isinstance(actual, tuple) else (actual,))]


@by_id([s for s in ALL if not s.op.dynamic])
def test_a_graph_computes_what_pynative_computes(s: Sample) -> None:
    at = tuple(i for i, a in enumerate(s.args) if isinstance(a, np.ndarray))

    def f(*xs: Tensor) -> Any:
        args = tensors(s.args)
        for i, x in zip(at, xs, strict=True):
            args[i] = x
        return s.op(*args)

    state = random.get_state()
    by_op = outputs_of(f(*[Tensor(s.args[i]) for i in at]))
    random.set_state(state)
    by_graph = outputs_of(runtime.compiler.call(f, tuple(Tensor(s.args[i]) for i in at), {}))
    for a, b in zip(by_op, by_graph, strict=True):
        assert a.dtype == b.dtype and same(a, b), f"{s.op}: PYNATIVE {a}, GRAPH {b}"


@by_id([s for s in DIFFERENTIABLE if not s.op.dynamic])
def test_a_graph_computes_the_gradients_that_pynative_computes(s: Sample) -> None:
    derived = minispore.grad(weighted(s, s.wrt, seeded=False), tuple(range(len(s.wrt))))
    xs = tuple(Tensor(s.args[i]) for i in s.wrt)
    random.set_seed(7)
    by_op = outputs_of(derived(*xs))
    random.set_seed(7)
    by_graph = outputs_of(runtime.compiler.call(derived, xs, {}))
    for a, b in zip(by_op, by_graph, strict=True):
        assert a.dtype == b.dtype and same(a, b), f"{s.op}: PYNATIVE {a}, GRAPH {b}"


def halved(s: Sample, dtype: Any) -> Sample:
    """The sample in half floats."""

    def narrow(a: Any) -> Any:
        if isinstance(a, np.ndarray) and a.dtype.kind == "f":
            return a.astype(dtype)
        if isinstance(a, tuple | list):
            return tuple(narrow(x) for x in a)
        return a

    return Sample(s.op, tuple(narrow(a) for a in s.args), s.wrt, s.second, s.tolerance)


@by_id([s for s in DIFFERENTIABLE if not (s.op.dynamic or s.op.effect is Effect.RANDOM)])
def test_a_graph_computes_half_floats_as_pynative_does(s: Sample) -> None:
    """Values and gradients: computed in float32 and rounded between ops, in both modes."""
    s = halved(s, np.float16)
    derived = minispore.value_and_grad(weighted(s, s.wrt, seeded=False), tuple(range(len(s.wrt))))
    xs = tuple(Tensor(s.args[i]) for i in s.wrt)
    (value, grads) = derived(*xs)
    (graph_value, graph_grads) = runtime.compiler.call(derived, xs, {})
    by_op, by_graph = ([v, *(g if isinstance(g, tuple) else (g,))]
                       for v, g in ((value, grads), (graph_value, graph_grads)))  # fmt: skip
    for a, b in zip(map(Tensor.asnumpy, by_op), map(Tensor.asnumpy, by_graph), strict=True):
        assert a.dtype == b.dtype and same(a, b), f"{s.op}: PYNATIVE {a}, GRAPH {b}"


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("b", [b for result in BAD.values() for b in result], ids=lambda b: b.name)
def test_bad_input_raises_an_error_that_says_what_to_do(b: Any) -> None:
    with pytest.raises(b.error) as info:
        b.call()
    text = str(info.value)
    assert b.match in text, text
    assert text.split(":")[0].isidentifier() or "." in text.split(":")[0], text
