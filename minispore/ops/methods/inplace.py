"""Tensor methods that change the tensor in place: ``t.add_(1)``, ``t.uniform_()``.

Each method replaces the tensor's content by a new one, which views of the tensor see as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.registry import registry
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
from minispore.ops.random.generators import get_stream_key
from minispore.ops.shape.cast_fill import Cast, Fill, ZerosLike
from minispore.ops.shape.views import BroadcastTo, Reshape
from minispore.ops.support.arguments import (
    cast_to_fit,
    check_arithmetic_operands,
    check_axis,
    check_tensors,
    to_static,
)
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled


def _replace_content(self: Tensor, content: Tensor) -> Tensor:
    """Replace the content of ``self`` by ``content``, broadcast and cast to its shape and dtype;
    return ``self``.

    The cast may lose precision.
    """
    if isinstance(content, Parameter):
        content = content.value()
    if content.shape != self.shape:
        content = BroadcastTo(self.shape)(content)
    if content.dtype is not self.dtype:
        content = Cast()(content, self.dtype)
    return self._write_in_place(content)


@method("copy_")
def _copy_in_place(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Replace the content by ``src``, broadcast and cast; return the tensor.

    >>> t = Tensor([1.0, 2.0])
    >>> print(t.copy_(Tensor(7)), t)
    [7. 7.] [7. 7.]
    """
    return _replace_content(self, src if isinstance(src, Tensor) else Tensor(src))


@method("fill_")
def _fill_in_place(self: Tensor, value: Any) -> Tensor:
    """Set every element to ``value``, a number or a tensor that is broadcast and cast; return the
    tensor.
    """
    if isinstance(value, Tensor):
        return _copy_in_place(self, value)
    return _replace_content(self, Fill()(self.dtype, self.shape, value))


@method("zero_")
def _zero_in_place(self: Tensor) -> Tensor:
    """Set every element to 0; return the tensor."""
    return _replace_content(self, ZerosLike()(self))


@method("masked_fill_")
def _masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Set the elements where ``mask``, which is broadcast, is True to ``value``; return the
    tensor.
    """
    return _replace_content(self, MaskedFill()(self, mask, value))


@method("put_")
def _put_in_place(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Write (or add if ``accumulate``) ``source`` at the positions ``index`` of the flattened
    tensor, in place; return the tensor.

    >>> print(Tensor([[1, 2], [3, 4]]).put_(Tensor([3, 0]), Tensor([8, 9])))
    [[9 2]
     [3 8]]
    """
    flat = Reshape()(self, (-1,)).index_put((index,), source, accumulate)
    return _replace_content(self, Reshape()(flat, self.shape))


@method("scatter_")
@also_spelled(value="src")
def _scatter_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Replace the content by ``scatter(dim, index, src)``, and return the tensor.

    ``value`` is an alias of ``src``.
    """
    return _replace_content(self, self.scatter(*args, **kwargs))


@method("scatter_add_")
def _scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Replace the content by ``scatter_add(dim, index, src)``, and return the tensor."""
    return _replace_content(self, self.scatter_add(dim, index, src))


@method("index_add")
def _index_add(self: Tensor, *args: Any, alpha: Any = 1, **kwargs: Any) -> Tensor:
    """Return a new tensor with ``alpha * source`` added to the slices ``index`` along ``dim``.

    The arguments are ``index_add(dim, index, source, alpha=1)``, or ``index_add(indices, y, axis)``
    as in MindSpore 1.x.

    >>> print(Tensor([1.0, 2.0]).index_add(0, Tensor([1, 1], mstype.int32), Tensor([1.0, 2.0])))
    [1. 5.]
    """
    if "indices" in kwargs or (args and isinstance(args[0], Tensor)):
        return _add_slices_by_old_arguments(self, *args, **kwargs)
    kwargs["alpha"] = alpha
    return _add_slices(self, *args, **kwargs)


def _add_slices(x: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any = 1) -> Tensor:
    """Return x with ``alpha * source`` added to its slices ``index`` along ``dim``.

    Contributions to a repeated index add up.

    Raises:
        TypeError: the dtype of x cannot hold the source.
    """
    check_tensors("index_add", index=index)
    axis = check_axis("index_add", dim, x.ndim, "dim")
    parts = (("slice", None, None, None),) * axis + ("tensor",)
    source = cast_to_fit("index_add", x, source, "source")
    if source.dtype is not x.dtype:
        raise TypeError(
            f"index_add: source must be of a dtype that {x.dtype} holds, got {source.dtype}. "
            "Cast it first."
        )
    return x + GetItemGrad()(source * alpha, x.shape, parts, index)


def _add_slices_by_old_arguments(
    x: Tensor, indices: Tensor, y: Tensor, axis: int, *flags: Any
) -> Tensor:
    """Return x with ``y`` added to its slices ``indices``; takes the arguments of MindSpore 1.x.

    ``flags`` (use_lock, check_index_bound) are ignored.
    """
    return _add_slices(x, axis, indices, y)


@method("index_add_")
def _index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """Add ``alpha * source`` to the slices ``index`` along ``dim`` in place; return the tensor."""
    return _replace_content(self, _add_slices(self, dim, index, source, alpha))


@method("index_copy_")
def _index_copy_(self: Tensor, dim: int, index: Tensor, tensor: Tensor) -> Tensor:
    """Write the slices of ``tensor`` to the slices ``index`` along ``dim`` in place; return the
    tensor.

    >>> print(Tensor([[1, 2], [3, 4]]).index_copy_(1, Tensor([0]), Tensor([[8], [9]])))
    [[8 2]
     [9 4]]
    """
    check_tensors("index_copy_", index=index)
    check_arithmetic_operands("index_copy_", tensor=tensor)
    axis = check_axis("index_copy_", dim, self.ndim, "dim")
    parts = (("slice", None, None, None),) * axis + ("tensor",)
    return _replace_content(self, SetItem()(self, tensor, parts, index))


# -- arithmetic -----------------------------------------------------------------------------------


_DTYPE_KIND_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # a dtype can't hold a higher kind


def _register_in_place_method(name: str, function: Callable[..., Tensor]) -> None:
    """Register the Tensor method ``name``, which replaces the content by ``function(self, ...)``.

    The method returns the tensor. It raises TypeError if the tensor's dtype cannot hold the result.
    """

    def change_in_place(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Replace the content by the function's result and return the tensor; raise TypeError if
        the dtype cannot hold it.
        """
        result = function(self, *args, **kwargs)
        if _DTYPE_KIND_RANKS[result.dtype.kind] > _DTYPE_KIND_RANKS[self.dtype.kind]:
            raise TypeError(
                f"Tensor.{name}: the result must fit a tensor of {self.dtype}, got {result.dtype}. "
                f"Use {name.rstrip('_')}, which makes a new tensor."
            )
        return _replace_content(self, result)

    change_in_place.__name__, change_in_place.__doc__ = name, f"Become ``{name.rstrip('_')}(...)``."
    method(name)(change_in_place)


def _scale_by_alpha(other: Any, alpha: Any) -> Any:
    """Return other * alpha; ``other`` itself for an ``alpha`` of 1."""
    return other if alpha == 1 else other * alpha


class InplaceAddExt(_Composite):
    """Adds alpha * other to ``input`` in place, cast to its dtype; returns ``input``.

    >>> t = Tensor([1, 2])
    >>> print(InplaceAddExt()(t, 3, 2), t)
    [7 8] [7 8]
    """

    def __call__(self, input: Tensor, other: Any, alpha: Any = 1) -> Tensor:
        return _replace_content(input, add(input, _scale_by_alpha(other, alpha)))


def _index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Return ``input`` with the slices ``index``, cast to int32, along ``dim`` set to ``value``."""
    return index_fill(input, dim, Cast()(index, mstype.int32), value)


for _name, _function in (
    ("add_", lambda input, other, *, alpha=1: add(input, _scale_by_alpha(other, alpha))),
    ("sub_", lambda input, other, *, alpha=1: sub(input, _scale_by_alpha(other, alpha))),
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
    _register_in_place_method(_name, _function)


def _make_unary_function(op_name: str) -> Callable[..., Tensor]:
    """Return a function that applies the op ``op_name`` to its argument."""
    return lambda x: registry[op_name]()(x)


for _name in ("Exp", "Log", "Sigmoid", "Tanh", "Sign", "Floor"):
    _register_in_place_method(f"{_name.lower()}_", _make_unary_function(_name))


# -- random content -------------------------------------------------------------------------------


def _draw_uniform(method_name: str, like: Tensor, generator: Any) -> Tensor:
    """Draw uniform float32 numbers in [0, 1) in the shape of ``like`` from ``generator``.

    Its stream, or that of the default generator if it is None, advances.
    """
    return rand(like.shape, seed=get_stream_key(f"Tensor.{method_name}", generator))


@method("uniform_")
def _uniform_in_place(
    self: Tensor, from_: Any = 0, to: Any = 1, *, generator: Any = None
) -> Tensor:
    """Fill the tensor with numbers drawn uniformly from [from_, to), and return it.

    >>> t = Tensor([0.0] * 100).uniform_(2, 3)
    >>> bool((t >= 2).all() and (t < 3).all())
    True
    """
    check_arithmetic_operands("uniform_", from_=from_, to=to)
    numbers = _draw_uniform("uniform_", self, generator) * (to - from_) + from_
    return _replace_content(self, numbers)


@method("uniform")
def _draw_uniform_like(
    self: Tensor, from_: Any = 0.0, to: Any = 1.0, generator: Any = None
) -> Tensor:
    """Return a tensor of the same shape and dtype with numbers drawn uniformly from [from_, to)."""
    check_arithmetic_operands("uniform", from_=from_, to=to)
    return Cast()(_draw_uniform("uniform", self, generator) * (to - from_) + from_, self.dtype)


@method("normal_")
def _normal_in_place(self: Tensor, mean: Any = 0, std: Any = 1, *, generator: Any = None) -> Tensor:
    """Fill the tensor with draws from a normal distribution with this mean and standard deviation,
    and return it.
    """
    normals = randn(self.shape, seed=get_stream_key("Tensor.normal_", generator))
    return _replace_content(self, normals * std + mean)


@method("exponential_")
def _exponential_in_place(self: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """Fill the tensor with draws from the exponential distribution of rate ``lambd``, and return
    it.

    Raises ValueError unless the rate is positive.
    """
    if lambd <= 0:
        raise ValueError(f"Tensor.exponential_: lambd must be > 0, got {lambd}.")
    return _replace_content(self, Log1p()(-_draw_uniform("exponential_", self, generator)) / -lambd)


@method("bernoulli_")
def _bernoulli_in_place(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Set each element to 1 with probability ``p``, a number or a tensor, else to 0; return the
    tensor.
    """
    return _replace_content(self, Less()(_draw_uniform("bernoulli_", self, generator), p))


@method("random_")
def _random_in_place(
    self: Tensor, from_: int = 0, to: int | None = None, *, generator: Any = None
) -> Tensor:
    """Fill the tensor with integers drawn uniformly from [from_, to), and return it.

    By default ``to`` is 2 for bool, 2**24 for floats and 2**(bits - 1), at most 2**53, for
    integers.
    """
    low = checks.integer("Tensor.random_", "from_", to_static(from_))
    # float32 represents every integer up to 2**24, and float64, the dtype of the draws, up to
    # 2**53.
    dtype_limit = {"f": 2**24, "b": 2}.get(self.dtype.kind, 2 ** (8 * self.itemsize - 1))
    high = min(dtype_limit, 2**53)
    if to is not None:
        high = checks.integer("Tensor.random_", "to", to_static(to), low + 1)
    uniforms = Cast()(_draw_uniform("random_", self, generator), mstype.float64)
    integers = Floor()(uniforms * (high - low)) + low
    return _replace_content(self, integers)


__all__: list[str] = []  # everything here is a method
