"""What optimizer updates share: each changes its variable and its moments in place.

Lean on purpose: ufuncs with ``out=``, bound once where it pays. ``out`` may be the variables
themselves or fresh buffers: every line reads an input before its output is written over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minispore.core.kernels import bound_kernel
from minispore.core.primitive import Calls, Primitive
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.elementwise.bases import a_kind
from minispore.ops.support.arguments import check_dtype_fits, check_tensor_spec

BLOCK = 1 << 15  # elements: a variable, its moments and its gradient stay in a core's cache


class _Update(Primitive):
    """``kernel(*inputs, out)``: output i is the new content of input mutates[i].

    MindSpore's own op returns the first ``returns`` of them: a tensor for one, a tuple for more.
    """

    pure = False
    returns: ClassVar[int] = 1
    gradient: ClassVar[int]  # which input holds the gradient

    def check(self) -> None:
        for name in ("use_locking", "use_nesterov", "update_slots"):
            if name in self.fields:
                checks.boolean(self.name, name, getattr(self, name))

    def __call__(self, *args: Any, **named: Any) -> Any:
        outputs = super().__call__(*args, **named)
        if isinstance(outputs, Tensor):
            return outputs
        return outputs[0] if self.returns == 1 else outputs[: self.returns]

    def infer(self, *args: Any) -> Any:
        var = a_kind(self.name, args[self.mutates[0]], "fV", "var")
        for i in (*self.mutates, self.gradient):
            if check_tensor_spec(self.name, args[i], f"input {i}").shape != var.shape:
                raise ValueError(
                    f"{self.name}: input {i} must have the shape of the variable {var.shape}, "
                    f"got {args[i].shape}."
                )
        check_dtype_fits(self.name, var, args[self.gradient], "the gradient")
        for i, rate in enumerate(args):
            if i not in self.mutates and i != self.gradient:
                a_rate(self.name, rate, i)
        specs = tuple(args[i] for i in self.mutates)
        return specs if len(specs) > 1 else specs[0]


def a_rate(op: str, rate: Any, i: int) -> None:
    """Raise unless ``rate`` is a number or a tensor with one element."""
    if isinstance(rate, Spec):
        if rate.size != 1:
            raise ValueError(f"{op}: input {i} must be one number, got {rate}.")
    elif isinstance(rate, bool) or not isinstance(rate, int | float):
        raise TypeError(f"{op}: input {i} must be a number or a Tensor, got {rate!r}.")


class _Blockwise(_Update):
    """``update(*inputs, out)`` element by element: a large variable goes block by block through all
    its lines.
    """

    update_block_size = BLOCK

    if TYPE_CHECKING:  # each update has its own parameters
        update: Callable[..., None]

    def calls(self, *args: Any, out: Any, work: Any) -> Calls:
        outs = out if isinstance(out, tuple) else (out,)
        calls: Calls = []
        for old, new in _blocks(args, outs):
            calls.append(partial(self.update, *old, out=new if isinstance(out, tuple) else new[0]))
        return calls


def _blocks(args: Any, outs: Any) -> Iterator[tuple[Sequence[Any], tuple[np.ndarray, ...]]]:
    """Inputs and outputs of an update, some elements of each at a time if they are many."""
    shape = outs[0].shape
    whole = [a for a in (*args, *outs) if isinstance(a, np.ndarray) and a.shape == shape]
    if outs[0].size <= BLOCK or not all(a.flags.c_contiguous for a in whole):
        yield args, outs
        return

    size = outs[0].size

    found: dict[int, list[Any]] = {}  # what is updated in place is both

    def parts(x: Any) -> Iterable[Any]:
        if not isinstance(x, np.ndarray) or x.shape != shape:
            return repeat(x, -(-size // BLOCK))
        if id(x) not in found:
            flat, rest = x.reshape(-1), size % BLOCK
            found[id(x)] = [*flat[: size - rest].reshape(-1, BLOCK), *([flat[-rest:]] * (rest > 0))]
        return found[id(x)]

    yield from zip(zip(*map(parts, args)), zip(*map(parts, outs)), strict=True)


class _Passes(_Update):
    """An update in passes: a run makes its numbers, then goes block by block through all of them.

    Its first output is the new variable, its second decides in what precision it works.
    """

    update_block_size = BLOCK

    if TYPE_CHECKING:  # each update has its own parameters
        numbers: Callable[..., tuple[Any, ...]]  # what passes scale by, from the inputs
        kinds: Callable[..., tuple[np.dtype, ...]]  # of these numbers, from the outputs
        passes: Callable[..., Calls]  # inputs, their new contents, numbers, scratch arrays

    def scratch(self, *args: Any) -> tuple[Spec, ...]:
        moment = args[self.mutates[1]]
        one = Spec((min(moment.size, BLOCK),), moment.dtype)
        return (one, one) if self.spare() else (one,)

    def spare(self) -> bool:
        """Whether it takes a second scratch array."""
        return bool(getattr(self, "use_nesterov", False))

    def calls(self, *args: Any, out: Any, work: Any) -> Calls:
        numbers = _Numbers(self, args, out)
        calls: Calls = [partial(numbers.count, args)]
        for old, new in _blocks(args, out):
            calls += self._on(old, new, numbers.places, work)
        return calls

    def bind_in_place(self, args: Any, out: Any) -> Callable[..., None] | None:
        if out[0].size > BLOCK and not all(a.flags.c_contiguous for a in out):
            return None
        at, numbers = self.gradient, _Numbers(self, args, out)
        work = bound_kernel.make_scratch_arrays(self, args) or []
        room = np.empty(min(out[0].size, BLOCK), args[at].dtype)
        parts = []
        for old, new in _blocks([out[0] if i == at else a for i, a in enumerate(args)], out):
            mine = room[: old[at].size]
            given = [mine.reshape(a.shape) if i == at else a for i, a in enumerate(old)]
            parts.append((mine, self._on(given, new, numbers.places, work)))

        def run(*args: Any, out: Any) -> None:
            numbers.count(args)
            gradient, begin = args[at].reshape(-1), 0
            for mine, calls in parts:
                mine[...] = gradient[begin : begin + mine.size]
                begin += mine.size
                for call in calls:
                    call()

        return run

    def _on(
        self, old: Sequence[Any], new: Any, numbers: list[np.ndarray], work: list[np.ndarray]
    ) -> Calls:
        """All passes over some elements."""
        shape, size = new[1].shape, new[1].size
        room = [w[:size] if size <= len(w) else np.empty(size, w.dtype) for w in work]
        return self.passes(old, new, numbers, [w.reshape(shape) for w in room])


class _Counted:
    """The numbers that were last made for updates of one kind: mostly all Parameters have the same.

    Args:
        update: makes them.
        at: of which inputs.
    """

    def __init__(self, update: _Passes, at: tuple[int, ...]) -> None:
        self._update, self._at = update, at
        self._last: tuple[list[Any] | None, list[Any]] = None, []  # of what, and they

    def numbers(self, args: Any) -> list[Any]:
        """The numbers; the same list as before where they are the same."""
        given = [args[i] for i in self._at]
        now = [a.tobytes() if isinstance(a, np.ndarray) else a for a in given]
        of, found = self._last
        if of != now:
            made = self._update.numbers(*args)
            found = [n.item() if isinstance(n, np.ndarray) else n for n in made]
            self._last = now, found  # at once: threads share it
        return found


@lru_cache(maxsize=64)
def _counted(update: _Passes, at: tuple[int, ...], kinds: tuple[Any, ...]) -> _Counted:
    return _Counted(update, at)


class _Numbers:
    """What the passes of one update scale by.

    Attributes:
        places: where they read it.
    """

    def __init__(self, update: _Passes, args: Any, out: Any) -> None:
        kinds, others = update.kinds(*out), {*update.mutates, update.gradient}
        at = tuple([i for i in range(len(args)) if i not in others])
        given = [getattr(args[i], "dtype", type(args[i])) for i in at]
        self._counted = _counted(update, at, (*kinds, *given))
        self._held: list[Any] | None = None
        self.places = [np.empty((), kind) for kind in kinds]

    def count(self, args: Any) -> None:
        """Make them from the inputs of an update."""
        found = self._counted.numbers(args)
        if found is not self._held:
            for place, number in zip(self.places, found, strict=True):
                place[...] = number
            self._held = found


class _Formula(_Blockwise):
    """An update written as a formula: ``step(*inputs)`` gives the new contents."""

    if TYPE_CHECKING:
        step: Callable[..., tuple[Any, ...]]

    def update(self, *args: Any, out: Any) -> None:
        outs = out if isinstance(out, tuple) else (out,)
        for place, made in zip(outs, self.step(*args), strict=True):
            np.copyto(place, made, casting="same_kind")


def merged(indices: np.ndarray, grad: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row once, with the sum of its gradients."""
    rows, places = np.unique(indices, return_inverse=True)
    if len(rows) == len(indices):
        return indices, grad
    total = np.zeros((len(rows), *grad.shape[1:]), grad.dtype)
    np.add.at(total, places.reshape(-1), grad)
    return rows, total


def turns(indices: np.ndarray) -> Iterator[np.ndarray | slice]:
    """Places of ``indices`` in which no row comes twice: all first ones, all second ones, ...

    >>> [turn.tolist() for turn in turns(np.array([3, 1, 3, 3]))]
    [[0, 1], [2], [3]]
    """
    order = np.argsort(indices, kind="stable")
    begins = np.flatnonzero(np.diff(indices[order], prepend=-1))
    if len(begins) == len(indices):
        yield slice(None)
        return
    counts = np.diff(begins, append=len(indices))
    turn = np.empty(len(indices), int)
    turn[order] = np.arange(len(indices)) - np.repeat(begins, counts)
    for i in range(counts.max()):
        yield np.flatnonzero(turn == i)


__all__: list[str] = []
