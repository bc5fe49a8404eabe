"""Base classes of optimizer updates: each changes its variable and its moments in place.

They call ufuncs with ``out=``, bound in advance where that is faster. ``out`` may be the variables
themselves or new buffers, since each line reads an input before its output overwrites it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minispore.core.primitive import Calls, Primitive, WorkSplit
from minispore.core.tensor import Tensor
from minispore.execution.kernels import bound_kernel
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.support.arguments import FLOAT_KINDS, check_dtype_fits, check_tensor_spec

BLOCK = 1 << 15  # elements; a variable, its moments and its gradient then fit in a core's cache


class _Update(Primitive):
    """Base of optimizer updates: output i of the kernel is the new value of input mutates[i].

    The new values are written to these inputs. As in MindSpore, the op returns the first
    ``returns`` outputs: a single tensor, or a tuple of several.
    """

    returns: ClassVar[int] = 1
    gradient: ClassVar[int]  # position of the gradient among the inputs

    def check(self) -> None:
        """Check that those of use_locking, use_nesterov and update_slots that the op has are
        bools.
        """
        for name in ("use_locking", "use_nesterov", "update_slots"):
            if name in self.fields:
                checks.boolean(self.name, name, getattr(self, name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the update, and return the first ``returns`` of the new values."""
        outputs = super().__call__(*args, **kwargs)
        if isinstance(outputs, Tensor):
            return outputs
        return outputs[0] if self.returns == 1 else outputs[: self.returns]

    def infer(self, *args: Any) -> Any:
        """Return the specs of the updated inputs: a tuple, or one spec.

        Raises:
            TypeError: the variable is not a float tensor, the gradient does not fit into its dtype,
                or a rate is not a number.
            ValueError: an updated input or the gradient has another shape than the variable, or a
                rate is not one number.
        """
        var = check_dtype_kind(self.name, args[self.mutates[0]], FLOAT_KINDS, "var")
        for i in (*self.mutates, self.gradient):
            if check_tensor_spec(self.name, args[i], f"input {i}").shape != var.shape:
                raise ValueError(
                    f"{self.name}: input {i} must have the shape of the variable {var.shape}, "
                    f"got {args[i].shape}."
                )
        check_dtype_fits(self.name, var, args[self.gradient], "the gradient")
        for i, rate in enumerate(args):
            if i not in self.mutates and i != self.gradient:
                check_rate(self.name, rate, i)
        specs = tuple(args[i] for i in self.mutates)
        return specs if len(specs) > 1 else specs[0]


def check_rate(api_name: str, rate: Any, i: int) -> None:
    """Check that ``rate``, input ``i``, is a number (not a bool) or a one-element tensor.

    Raises:
        TypeError: ``rate`` is neither.
        ValueError: the tensor has more or fewer elements.
    """
    if isinstance(rate, Spec):
        if rate.size != 1:
            raise ValueError(f"{api_name}: input {i} must be one number, got {rate}.")
    elif isinstance(rate, bool) or not isinstance(rate, int | float):
        raise TypeError(f"{api_name}: input {i} must be a number or a Tensor, got {rate!r}.")


class _Blockwise(_Update):
    """Base of element-wise updates by ``update(*inputs, out)``, block by block for a large
    variable.
    """

    work_split = WorkSplit(block_size=BLOCK)

    if TYPE_CHECKING:  # each update has its own parameters
        update: Callable[..., None]

    def calls(self, *args: Any, out: Any, work: Any) -> Calls:
        """Return a call of ``update`` for each block."""
        outs = out if isinstance(out, tuple) else (out,)
        calls: Calls = []
        for old, new in _split_into_blocks(args, outs):
            calls.append(partial(self.update, *old, out=new if isinstance(out, tuple) else new[0]))
        return calls


def _split_into_blocks(
    args: Any, outs: Any
) -> Iterator[tuple[Sequence[Any], tuple[np.ndarray, ...]]]:
    """Yield the inputs and outputs of an update as pairs of sequences, block by block if they are
    large.

    Blocks are 1-D views of at most ``BLOCK`` elements; small or non-contiguous arrays are a single
    block. Anything whose shape differs from that of the outputs is repeated for each block.
    """
    shape = outs[0].shape
    full_arrays = [a for a in (*args, *outs) if isinstance(a, np.ndarray) and a.shape == shape]
    if outs[0].size <= BLOCK or not all(a.flags.c_contiguous for a in full_arrays):
        yield args, outs
        return

    size = outs[0].size

    # Keyed by id: an array that is both input and output is split once.
    blocks_by_id: dict[int, list[Any]] = {}

    def get_blocks(x: Any) -> Iterable[Any]:
        """Return the blocks of an array, always the same views for the same array; repeat anything
        else for each block.
        """
        if not isinstance(x, np.ndarray) or x.shape != shape:
            return repeat(x, -(-size // BLOCK))
        if id(x) not in blocks_by_id:
            flat = x.reshape(-1)
            blocks_by_id[id(x)] = [flat[i : i + BLOCK] for i in range(0, size, BLOCK)]
        return blocks_by_id[id(x)]

    yield from zip(zip(*map(get_blocks, args)), zip(*map(get_blocks, outs)), strict=True)


class _Passes(_Update):
    """Base of updates in several passes over each block; each run computes the coefficients first.

    The first output is the new variable. The scratch arrays have the dtype of the second output.
    """

    work_split = WorkSplit(block_size=BLOCK)

    if TYPE_CHECKING:  # each update has its own parameters
        compute_coefficients: Callable[..., tuple[Any, ...]]  # from the inputs
        get_dtypes: Callable[..., tuple[np.dtype, ...]]  # of the coefficients, from the outputs
        emit_passes: Callable[..., Calls]  # from inputs, outputs, coefficients, scratch arrays

    def scratch(self, *args: Any) -> tuple[Spec, ...]:
        """Return the specs of the scratch arrays, of a block's size: one, or two if the update
        needs a second.
        """
        moment = args[self.mutates[1]]
        block_spec = Spec((min(moment.size, BLOCK),), moment.dtype)
        return (block_spec, block_spec) if self.needs_second_scratch() else (block_spec,)

    def needs_second_scratch(self) -> bool:
        """Whether the update needs a second scratch array: by default, if it has ``use_nesterov``
        set.
        """
        return bool(getattr(self, "use_nesterov", False))

    def calls(self, *args: Any, out: Any, work: Any) -> Calls:
        """Return a call that computes the coefficients, then the calls of the passes over each
        block.
        """
        coefficients = _Coefficients(self, args, out)
        calls: Calls = [partial(coefficients.update, args)]
        for old, new in _split_into_blocks(args, out):
            calls += self._bind_passes(old, new, coefficients.arrays, work)
        return calls

    def bind_in_place(self, args: Any, out: Any) -> Callable[..., None] | None:
        """Return a function that runs the update in place with all calls bound in advance.

        The function takes the arguments of ``kernel``, but reads only the gradient and the rates
        from them; the states are those of ``args``. None if the arrays are larger than a block and
        not contiguous.
        """
        if out[0].size > BLOCK and not all(a.flags.c_contiguous for a in out):
            return None
        coefficients = _Coefficients(self, args, out)
        work = bound_kernel.make_scratch_arrays(self, args) or []
        # The gradient is a different array in each run, so its blocks are copied to this buffer.
        buffer = np.empty(min(out[0].size, BLOCK), args[self.gradient].dtype)
        states = [out[0] if i == self.gradient else a for i, a in enumerate(args)]
        passes = []
        for old, new in _split_into_blocks(states, out):
            grad_block = buffer[: new[0].size]
            inputs = list(old)
            inputs[self.gradient] = grad_block.reshape(new[0].shape)
            calls = self._bind_passes(inputs, new, coefficients.arrays, work)
            passes.append((grad_block, calls))

        def run(*args: Any, out: Any) -> None:
            """Update the coefficients; then, for each block, copy its gradient to the buffer and
            run the calls.
            """
            coefficients.update(args)
            gradient = args[self.gradient].reshape(-1)
            begin = 0
            for grad_block, calls in passes:
                grad_block[...] = gradient[begin : begin + grad_block.size]
                begin += grad_block.size
                for call in calls:
                    call()

        return run

    def _bind_passes(
        self,
        old: Sequence[Any],
        new: Any,
        coefficients: list[np.ndarray],
        scratch: list[np.ndarray],
    ) -> Calls:
        """Return the calls of all passes over one block, with scratch arrays of its size."""
        shape, size = new[1].shape, new[1].size
        block_scratch = [w[:size] if size <= len(w) else np.empty(size, w.dtype) for w in scratch]
        return self.emit_passes(old, new, coefficients, [w.reshape(shape) for w in block_scratch])


class _CoefficientCache:
    """Cache of the last coefficients of the updates of one class, which most Parameters share.

    Args:
        update: the op whose ``compute_coefficients`` is called.
        positions: the positions of the inputs that the coefficients depend on.
    """

    def __init__(self, update: _Passes, positions: tuple[int, ...]) -> None:
        self._update, self._positions = update, positions
        # the values of the inputs, and the coefficients computed from them
        self._last: tuple[list[Any] | None, list[Any]] = (None, [])

    def get_coefficients(self, args: Any) -> list[Any]:
        """Return the coefficients as scalars; the same list object as before if the inputs' values
        are unchanged.
        """
        inputs = [args[i] for i in self._positions]
        key = [a.tobytes() if isinstance(a, np.ndarray) else a for a in inputs]
        last_key, coefficients = self._last
        if last_key != key:
            computed = self._update.compute_coefficients(*args)
            coefficients = [n.item() if isinstance(n, np.ndarray) else n for n in computed]
            self._last = key, coefficients  # a single assignment, since threads share it
        return coefficients


@lru_cache(maxsize=64)
def _get_coefficient_cache(
    update: _Passes, positions: tuple[int, ...], dtypes: tuple[Any, ...]
) -> _CoefficientCache:
    """Return the cache shared by equal updates whose coefficients and rates have these dtypes; the
    last 64 are kept.
    """
    return _CoefficientCache(update, positions)


class _Coefficients:
    """The coefficients of the passes of one update.

    Attributes:
        arrays: 0-d arrays, which the passes read.
    """

    def __init__(self, update: _Passes, args: Any, out: Any) -> None:
        """Allocate an array for each coefficient, and look up the cache shared by equal updates."""
        dtypes = update.get_dtypes(*out)
        state_positions = {*update.mutates, update.gradient}
        positions = tuple([i for i in range(len(args)) if i not in state_positions])
        input_dtypes = [getattr(args[i], "dtype", type(args[i])) for i in positions]
        self._cache = _get_coefficient_cache(update, positions, (*dtypes, *input_dtypes))
        self._written: list[Any] | None = None
        self.arrays = [np.empty((), dtype) for dtype in dtypes]

    def update(self, args: Any) -> None:
        """Compute the coefficients from the inputs of an update, and write them to ``arrays`` if
        they changed.
        """
        coefficients = self._cache.get_coefficients(args)
        if coefficients is not self._written:
            for array, number in zip(self.arrays, coefficients, strict=True):
                array[...] = number
            self._written = coefficients


def emit_scaled_sum(
    a: np.ndarray | None,
    x: np.ndarray,
    b: np.ndarray | None,
    y: np.ndarray,
    *,
    out: np.ndarray,
    work: np.ndarray,
) -> Calls:
    """Return calls that write a * x + b * y to ``out``, each product and the sum rounded once.

    Args:
        a, b: 0-d arrays, which each run reads; None means 1.
        x, y: arrays of the shape of ``out``; ``out`` may be ``y``.
        work: a scratch array of the same shape; it may be ``x``.
    """
    calls: Calls = []
    if a is not None:
        calls.append(partial(np.multiply, x, a, work))
        x = work
    if b is not None:
        calls.append(partial(np.multiply, y, b, out))
        y = out
    return [*calls, partial(np.add, y, x, out)]


class _Formula(_Blockwise):
    """Base of updates written as a formula: ``compute_step(*inputs)`` returns the new values."""

    if TYPE_CHECKING:
        compute_step: Callable[..., tuple[Any, ...]]

    def update(self, *args: Any, out: Any) -> None:
        """Compute the step, and copy the new values to the outputs, cast to their dtypes."""
        outs = out if isinstance(out, tuple) else (out,)
        for destination, value in zip(outs, self.compute_step(*args), strict=True):
            np.copyto(destination, value, casting="same_kind")


def sum_duplicate_rows(indices: np.ndarray, grad: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct indices in ascending order, and for each the sum of its rows of ``grad``.

    If no index repeats, the arguments themselves are returned, in their order.
    """
    rows, inverse = np.unique(indices, return_inverse=True)
    if len(rows) == len(indices):
        return indices, grad
    total = np.zeros((len(rows), *grad.shape[1:]), grad.dtype)
    np.add.at(total, inverse.reshape(-1), grad)
    return rows, total


def split_by_occurrence(indices: np.ndarray) -> Iterator[np.ndarray | slice]:
    """Yield the positions of all first occurrences in ``indices``, then of all second occurrences,
    etc.

    If no index repeats, yield a single slice of all positions. So no index repeats within one item.

    >>> [p.tolist() for p in split_by_occurrence(np.array([3, 1, 3, 3]))]
    [[0, 1], [2], [3]]
    """
    order = np.argsort(indices, kind="stable")
    # The first of each run of equal sorted indices; -1 starts the first run, as all are >= 0.
    starts = np.flatnonzero(np.diff(indices[order], prepend=-1))
    if len(starts) == len(indices):
        yield slice(None)
        return
    counts = np.diff(starts, append=len(indices))
    occurrence = np.empty(len(indices), int)
    occurrence[order] = np.arange(len(indices)) - np.repeat(starts, counts)
    for i in range(counts.max()):
        yield np.flatnonzero(occurrence == i)


__all__: list[str] = []
