"""The methods that change a tensor: ``t.add_(1)``, ``t.uniform_()``.

Each gives the tensor the content of a new one, and what shares its content, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter
from minispore.core.random.generators import get_stream_key
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ops.elementwise.arithmetic import add, div, floor_divide, mul, remainder, sub
from minispore.ops.elementwise.compare import Less
from minispore.ops.elementwise.error_function import erfinv
from minispore.ops.elementwise.extremes import clamp
from minispore.ops.elementwise.powers import Log1p
from minispore.ops.elementwise.rounding import Floor
from minispore.ops.index.select import MaskedFill
from minispore.ops.index.slice_update import index_fill, masked_scatter
from minispore.ops.index.subscript import GetItemGrad, SetItem
from minispore.ops.linalg.diagonal import fill_diagonal
from minispore.ops.random.draws import rand, randn
from minispore.ops.shape.views import BroadcastTo, Reshape
from minispore.ops.shape.whole import Cast, Fill, ZerosLike
from minispore.ops.support.arguments import (
    cast_to_fit,
    check_arithmetic_operands,
    check_axis,
    check_tensors,
    to_static,
)
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled


def _become(self: Tensor, new: Tensor) -> Tensor:
    """Take the content of ``new``, in the own dtype and shape."""
    if isinstance(new, Parameter):
        new = new.value()
    if new.shape != self.shape:
        new = BroadcastTo(self.shape)(new)
    return self._write_in_place(new if new.dtype is self.dtype else Cast()(new, self.dtype))


@method("copy_")
def _copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Become ``src``, broadcast and cast.

    >>> t = Tensor([1.0, 2.0])
    >>> print(t.copy_(Tensor(7)), t)
    [7. 7.] [7. 7.]
    """
    return _become(self, src if isinstance(src, Tensor) else Tensor(src))


@method("fill_")
def _fill_(self: Tensor, value: Any) -> Tensor:
    """Become ``value`` everywhere."""
    if isinstance(value, Tensor):
        return _copy_(self, value)
    return _become(self, Fill()(self.dtype, self.shape, value))


@method("zero_")
def _zero_(self: Tensor) -> Tensor:
    """Become 0 everywhere."""
    return _become(self, ZerosLike()(self))


@method("masked_fill_")
def _masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Become ``value`` where ``mask`` holds."""
    return _become(self, MaskedFill()(self, mask, value))


@method("put_")
def _put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Have ``source`` put (or added) at the places ``index`` of the flattened tensor.

    >>> print(Tensor([[1, 2], [3, 4]]).put_(Tensor([3, 0]), Tensor([8, 9])))
    [[9 2]
     [3 8]]
    """
    flat = Reshape()(self, (-1,)).index_put((index,), source, accumulate)
    return _become(self, Reshape()(flat, self.shape))


@method("scatter_")
@also_spelled(value="src")
def _scatter_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Become ``scatter(dim, index, src)``; a number may be given as ``value``."""
    return _become(self, self.scatter(*args, **kwargs))


@method("scatter_add_")
def _scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Become ``scatter_add(dim, index, src)``."""
    return _become(self, self.scatter_add(dim, index, src))


@method("index_add")
def _index_add(self: Tensor, *args: Any, alpha: Any = 1, **kwargs: Any) -> Tensor:
    """``index_add(dim, index, source, alpha=1)`` or ``index_add(indices, y, axis)``: slices added.

    >>> print(Tensor([1.0, 2.0]).index_add(0, Tensor([1, 1], mstype.int32), Tensor([1.0, 2.0])))
    [1. 5.]
    """
    if "indices" in kwargs or (args and isinstance(args[0], Tensor)):
        return _slices_added_1x(self, *args, **kwargs)
    kwargs["alpha"] = alpha
    return _slices_added(self, *args, **kwargs)


def _slices_added(x: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any = 1) -> Tensor:
    check_tensors("index_add", index=index)
    at = check_axis("index_add", dim, x.ndim, "dim")
    parts = (("slice", None, None, None),) * at + ("tensor",)
    source = cast_to_fit("index_add", x, source, "source")
    if source.dtype is not x.dtype:
        raise TypeError(
            f"index_add: source must be of a dtype that {x.dtype} holds, got {source.dtype}. "
            "Cast it first."
        )
    return x + GetItemGrad()(source * alpha, x.shape, parts, index)


def _slices_added_1x(x: Tensor, indices: Tensor, y: Tensor, axis: int, *flags: Any) -> Tensor:
    return _slices_added(x, axis, indices, y)


@method("index_add_")
def _index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """Become ``index_add(dim, index, source)``."""
    return _become(self, _slices_added(self, dim, index, source, alpha))


@method("index_copy_")
def _index_copy_(self: Tensor, dim: int, index: Tensor, tensor: Tensor) -> Tensor:
    """Have the slices of ``tensor`` as the slices ``index`` along ``dim``.

    >>> print(Tensor([[1, 2], [3, 4]]).index_copy_(1, Tensor([0]), Tensor([[8], [9]])))
    [[8 2]
     [9 4]]
    """
    check_tensors("index_copy_", index=index)
    check_arithmetic_operands("index_copy_", tensor=tensor)
    at = check_axis("index_copy_", dim, self.ndim, "dim")
    parts = (("slice", None, None, None),) * at + ("tensor",)
    return _become(self, SetItem()(self, tensor, parts, index))


# -- arithmetic -----------------------------------------------------------------------------------


_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # what a kind cannot hold has a higher one


def _arithmetic(name: str, function: Callable[..., Tensor]) -> None:
    def change(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        new = function(self, *args, **kwargs)
        if new.dtype is not self.dtype and _RANKS[new.dtype.kind] > _RANKS[self.dtype.kind]:
            raise TypeError(
                f"Tensor.{name}: the result must fit a tensor of {self.dtype}, got {new.dtype}. "
                f"Use {name.rstrip('_')}, which makes a new tensor."
            )
        return _become(self, new)

    change.__name__, change.__doc__ = name, f"Become ``{name.rstrip('_')}(...)``."
    method(name)(change)


def _times(other: Any, alpha: Any) -> Any:
    return other if alpha == 1 else other * alpha


class InplaceAddExt(_Composite):
    """Make ``input`` become input + alpha * other; returns it.

    >>> t = Tensor([1, 2])
    >>> print(InplaceAddExt()(t, 3, 2), t)
    [7 8] [7 8]
    """

    internal = True

    def __call__(self, input: Tensor, other: Any, alpha: Any = 1) -> Tensor:
        return _become(input, add(input, _times(other, alpha)))


def _index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    return index_fill(input, dim, Cast()(index, mstype.int32), value)


for _name, _function in (
    ("add_", lambda input, other, *, alpha=1: add(input, _times(other, alpha))),
    ("sub_", lambda input, other, *, alpha=1: sub(input, _times(other, alpha))),
    ("mul_", mul),
    ("div_", div),
    ("remainder_", remainder),
    ("floor_divide_", floor_divide),
    ("clamp_", clamp),
    ("erfinv_", erfinv),
    ("fill_diagonal_", fill_diagonal),
    ("masked_scatter_", masked_scatter),
    ("index_fill_", _index_fill),
):
    _arithmetic(_name, _function)


def _of_one(op: str) -> Callable[..., Tensor]:
    return lambda x: registry[op]()(x)


for _name in ("Exp", "Log", "Sigmoid", "Tanh", "Sign", "Floor"):
    _arithmetic(f"{_name.lower()}_", _of_one(_name))


# -- random content -------------------------------------------------------------------------------


def _uniform(name: str, like: Tensor, generator: Any) -> Tensor:
    return rand(like.shape, seed=get_stream_key(f"Tensor.{name}", generator))


@method("uniform_")
def _uniform_(self: Tensor, from_: Any = 0, to: Any = 1, *, generator: Any = None) -> Tensor:
    """Become numbers drawn evenly from [from_, to).

    >>> t = Tensor([0.0] * 100).uniform_(2, 3)
    >>> bool((t >= 2).all() and (t < 3).all())
    True
    """
    check_arithmetic_operands("uniform_", from_=from_, to=to)
    return _become(self, _uniform("uniform_", self, generator) * (to - from_) + from_)


@method("uniform")
def _uniform_like(self: Tensor, from_: Any = 0.0, to: Any = 1.0, generator: Any = None) -> Tensor:
    """A tensor of the same shape of numbers drawn evenly from [from_, to)."""
    check_arithmetic_operands("uniform", from_=from_, to=to)
    return Cast()(_uniform("uniform", self, generator) * (to - from_) + from_, self.dtype)


@method("normal_")
def _normal_(self: Tensor, mean: Any = 0, std: Any = 1, *, generator: Any = None) -> Tensor:
    """Become numbers drawn from a normal distribution."""
    drawn = randn(self.shape, seed=get_stream_key("Tensor.normal_", generator))
    return _become(self, drawn * std + mean)


@method("exponential_")
def _exponential_(self: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """Become numbers drawn from the exponential distribution of rate ``lambd``."""
    if lambd <= 0:
        raise ValueError(f"Tensor.exponential_: lambd must be > 0, got {lambd}.")
    return _become(self, Log1p()(-_uniform("exponential_", self, generator)) / -lambd)


@method("bernoulli_")
def _bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Become 1 with probability ``p``, else 0."""
    return _become(self, Less()(_uniform("bernoulli_", self, generator), p))


@method("random_")
def _random_(
    self: Tensor, from_: int = 0, to: int | None = None, *, generator: Any = None
) -> Tensor:
    """Become whole numbers drawn from [from_, to); without ``to``, as large as the dtype allows."""
    low = checks.integer("Tensor.random_", "from_", to_static(from_))
    most = {"f": 2**24, "b": 2}.get(self.dtype.kind, 2 ** (8 * self.itemsize - 1))
    high = (
        min(most, 2**53)
        if to is None
        else checks.integer("Tensor.random_", "to", to_static(to), low + 1)
    )
    even = Cast()(_uniform("random_", self, generator), mstype.float64)
    drawn = Floor()(even * (high - low)) + low
    return _become(self, drawn)


__all__: list[str] = []  # everything here is a method
