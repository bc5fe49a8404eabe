"""Common parts of the LSTM and GRU ops, each of which computes all time steps as one op.

The contribution of x to the gate sums, x w_ih' + b, is one product for all steps, with b as a
column of w_ih. Each gate is a separate (N, H) array, so a step is one product of h with G matrices
and a few passes over arrays that stay in the cache. The results of a sequence do not depend on the
other sequences of its batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Calls, Primitive, VjpRule, WorkSplit
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.dtype import int_type
from minispore.ir.operator import Rows
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.elementwise.compare import Greater
from minispore.ops.index.select import Select
from minispore.ops.linalg.products import BatchMatMul
from minispore.ops.shape.cast_fill import Ones
from minispore.ops.shape.join import Concat, Stack
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.support.arguments import FLOAT_KINDS
from minispore.ops.support.derive import pull_back

MIN_STEPS_TO_TRANSPOSE = 4  # with fewer steps, transposing the weights takes longer than it saves
_CHUNK_BYTES = 256 << 10  # bytes of gates that stay in the cache
_MAX_CHUNKS, _MIN_CHUNK_FLOPS = 4, 30e6  # chunks of a product for all steps; flops of each chunk

Step = tuple[int, int, int]  # t, and the indices of the states before and after it


class _Sequence(Primitive):
    """Base of the LSTM and GRU sequence ops; ``reverse`` runs from the last step to the first.

    With lengths (N,), the state is kept and the gates are zero from step ``lengths[n]`` on. States
    are indexed by step: T + 1 states, where the initial one is the first, or the last with
    ``reverse``.
    """

    reverse: bool = False
    vjp_rule = VjpRule(partial=True)
    gates = 0  # the number of gates in w_hh
    # The batch axis of each argument and each output.
    axes: ClassVar[tuple[tuple[int | None, ...], tuple[int, ...]] | None] = None
    # With AVX2, BLAS computes a row of a product identically in all products with 12 rows or more.
    work_split = WorkSplit(short_calls=True, row_edges=(1, 12))

    def rowwise(self, *args: Any, out: Any) -> tuple[Rows, ...] | None:
        """Return the batch axis of each argument and output, since sequences are independent; None
        if the op has no ``axes``.
        """
        if self.axes is None:
            return None
        input_axes, output_axes = self.axes
        inputs = [None if a is None else i for a, i in zip(args, input_axes, strict=True)]
        return *inputs, *output_axes

    def check(self) -> None:
        checks.boolean(self.name, "reverse", self.reverse)

    def iterate_steps(self, count: int) -> Iterator[Step]:
        """Yield each step as (t, index of the state before, index of the state after), in the order
        in which they run.
        """
        for t in range(count)[:: -1 if self.reverse else 1]:
            yield (t, t + 1, t) if self.reverse else (t, t, t + 1)

    def check_shapes(
        self, x_gates: Spec, w_hh: Spec, lengths: Any, **states: Spec
    ) -> tuple[int, int, int]:
        """Check that the inputs fit together and return T, N and H.

        ``states`` must be (N, H), ``w_hh`` (gates * H, H), and all of one dtype.

        Raises:
            TypeError: ``x_gates`` is not a float tensor.
            ValueError: a shape or dtype does not fit.
        """
        check_dtype_kind(self.name, x_gates, FLOAT_KINDS, "x_gates")
        gates = self.gates
        if x_gates.ndim != 4 or x_gates.shape[0] != gates:
            raise ValueError(
                f"{self.name}: x_gates must have the axes ({gates}, T, N, H), got {x_gates}."
            )
        _, t, n, h = x_gates.shape
        expected = dict.fromkeys(states, (n, h)) | {"w_hh": (gates * h, h)}
        for name, spec in {**states, "w_hh": w_hh}.items():
            if spec != Spec(expected[name], x_gates.dtype):
                raise ValueError(
                    f"{self.name}: {name} must have the shape {expected[name]} and the dtype "
                    f"{x_gates.dtype}, got {spec}."
                )
        if lengths is not None and lengths.shape != (n,):
            raise ValueError(f"{self.name}: lengths must have the shape {(n,)}, got {lengths}.")
        return t, n, h

    def flops(self, x_gates: Spec, *inputs: Any) -> int:
        _, t, n, h = x_gates.shape
        return 2 * self.gates * t * n * h * h


def choose_steps_per_chunk(gates: Spec) -> int:
    """Return the number of steps, at least 1, whose element-wise work is done in one call.

    The ``gates`` (4, T, N, H) of so many steps stay in the cache.
    """
    _, t, n, width = gates.shape
    return max(1, min(t, _CHUNK_BYTES // max(1, 4 * n * width * gates.dtype.itemsize)))


def split_steps(steps: list[Step], flops: int) -> list[list[Step]]:
    """Split steps into at most 4 chunks of enough work for one product each; ``flops`` is the work
    of all.
    """
    count = max(1, min(_MAX_CHUNKS, int(flops / _MIN_CHUNK_FLOPS)))
    size = -(-len(steps) // count)
    return [steps[i : i + size] for i in range(0, len(steps), size)]


def get_time_slice(steps: list[Step]) -> slice:
    """Return the slice of the time axis that consecutive steps cover."""
    return slice(min(steps)[0], max(steps)[0] + 1)


def transpose_weights(
    w: np.ndarray, gates: int, work: np.ndarray | None
) -> tuple[np.ndarray, Calls]:
    """Return w_hh (G H, H) as G transposed (H, H) matrices, and the calls that compute them.

    If ``work`` is None, these are views of ``w`` and no calls; else ``work``, which the calls fill.
    """
    transposed = w.reshape(gates, -1, w.shape[1]).swapaxes(1, 2)
    return (transposed, []) if work is None else (work, [partial(np.copyto, work, transposed)])


def merge_time_and_batch(a: np.ndarray, calls: Calls) -> np.ndarray:
    """Return a (..., T, N, H) in the shape (..., T N, H), as a view if possible.

    Otherwise the result is a new array, and the call that copies ``a`` to it is appended to
    ``calls``.
    """
    shape = *a.shape[:-3], a.shape[-3] * a.shape[-2], a.shape[-1]
    view = a.reshape(shape)
    if not np.shares_memory(view, a):
        calls.append(partial(np.copyto, view.reshape(a.shape), a))
    return view


def make_sigmoid_calls(x: np.ndarray, out: np.ndarray, negated: bool = False) -> Calls:
    """Return calls that write 1 / (1 + e^-x) to ``out`` and overwrite x.

    If ``negated``, x already holds the opposite of the sigmoid's argument.
    """
    one = np.ones((), x.dtype)
    calls: Calls = [] if negated else [partial(np.negative, x, x)]
    calls += [partial(np.exp, x, x), partial(np.add, x, one, x)]
    return [*calls, partial(np.true_divide, one, x, out)]


def mark_stopped(lengths: np.ndarray, out: np.ndarray) -> None:
    """Write whether each sequence has ended at each step to ``out`` (T, N, 1)."""
    np.less_equal(lengths, np.arange(len(out), dtype=lengths.dtype)[:, None], out=out[..., 0])


def make_restore_calls(is_stopped: np.ndarray, new_and_old: list[tuple[np.ndarray, Any]]) -> Calls:
    """Return calls that overwrite each new array, in place, by the old values where a sequence has
    stopped.
    """
    return [partial(np.copyto, new, old, where=is_stopped) for new, old in new_and_old]


def make_mask_spec(t: int, n: int, lengths: Any) -> tuple[Spec, ...]:
    """Return a tuple of the scratch spec for :func:`mark_stopped`; empty if ``lengths`` is None."""
    return () if lengths is None else (Spec((t, n, 1), np.dtype(bool)),)


def project_inputs(gates: int, x: Tensor, w: Tensor, b: Tensor | None) -> Tensor:
    """Return x (T, N, I) times w' plus b for each of the gates, (G, T, N, H), from w (G H, I) and b
    (G H,).
    """
    t, n, _ = x.shape
    if b is not None:
        ones = Ones()((t, n, 1), x.dtype)
        x = Concat(2)((x, ones))
        w = Concat(1)((w, ExpandDims()(b, 1)))
    rows = Reshape()(x, (t * n, -1))
    gate_weights = Reshape()(w, (gates, w.shape[0] // gates, w.shape[1]))
    return Reshape()(BatchMatMul(transpose_b=True)(rows, gate_weights), (gates, t, n, -1))


def mask_outputs(hs: Tensor, lengths: Any, reverse: bool) -> Tensor:
    """Return h after each step (T, N, H), 0 where a sequence has ended, from all states (T + 1, N,
    H).

    With ``lengths`` None no sequence ends.
    """
    y = hs[:-1] if reverse else hs[1:]
    if lengths is None:
        return y
    count = np.arange(y.shape[0], dtype=lengths.dtype.name)[:, None, None]
    return Select()(Tensor(count) < ExpandDims()(lengths, 1), y, 0.0)


def get_states_before(hs: Any, reverse: bool) -> Any:
    """Return the state before each step: all states but the last, or with ``reverse`` but the
    first.
    """
    return hs[1:] if reverse else hs[:-1]


def compute_hidden_weight_grad(d: Tensor, before: Tensor) -> Tensor:
    """Return the gradient of a weight: d (G, T, N, H) with states (T, N, I) -> (G H, I)."""
    gates, width, size = d.shape[0], d.shape[-1], before.shape[-1]
    rows = Reshape()(before, (-1, size))
    product = BatchMatMul(transpose_a=True)(Reshape()(d, (gates, -1, width)), rows)
    return Reshape()(product, (gates * width, size))


def compute_vjp_by_formula(prim: _Sequence, formula: Any, args: tuple[Any, ...], dout: Any) -> Any:
    """Return the gradients of a gradient op by differentiating ``formula(prim, *args)``, which
    computes the same by other ops.

    Arguments that are None or integer tensors (lengths) get None.
    """
    positions = [i for i, a in enumerate(args) if a is not None and a.dtype not in int_type]

    def apply_formula(*tensors: Tensor) -> Any:
        """Call the formula with ``tensors`` in place of the op's differentiated arguments."""
        all_args = list(args)
        for i, a in zip(positions, tensors, strict=True):
            all_args[i] = a
        return formula(prim, *all_args)

    grads: list[Any] = [None] * len(args)
    for i, d in zip(
        positions, pull_back(apply_formula, tuple([args[i] for i in positions]), dout), strict=True
    ):
        grads[i] = d
    return tuple(grads)


def add_indexed(x: Tensor, terms: Any, index: Any) -> Tensor:
    """Return x + terms[index]; x itself if ``terms`` is None."""
    return x if terms is None else x + terms[index]


def make_running_mask(lengths: Any, t: int) -> Any:
    """Return the mask (N, 1) of sequences that run at step t; None if ``lengths`` is None."""
    return None if lengths is None else ExpandDims()(Greater()(lengths, t), 1)


def select_running(mask: Any, new: Tensor, old: Any) -> Tensor:
    """Return ``new`` for running sequences and ``old`` for ended sequences; ``new`` if the mask is
    None.
    """
    return new if mask is None else Select()(mask, new, old)


def stack_steps(tensors: dict[int, Any]) -> Tensor:
    """Stack the tensors of all steps, keyed by step, along a new first axis in ascending order of
    the keys.
    """
    return Stack(0)([tensors[t] for t in sorted(tensors)])


__all__: list[str] = []
