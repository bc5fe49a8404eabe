"""Ops on whole arrays: cast, identity, constants, and queries of shape and dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive
from minispore.core.row_gradient import apply_to_rows
from minispore.core.tensor import Tensor, call, method
from minispore.core.views import scatter_by_vjp
from minispore.execution import half
from minispore.execution.layout import LIKE_INPUT
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.support.arguments import check_shape, check_tensor_spec, check_tensors, to_static


class Cast(Primitive):
    """``x`` cast to ``dtype``; a tensor that has this dtype already is returned as a view.

    A value that is not a tensor is converted to one first.

    Shape: x: any; output: the shape of x.

    >>> Cast()(Tensor([1.7, -1.7]), mstype.int32)
    Tensor(shape=[2], dtype=Int32, value= [ 1, -1])
    """

    arithmetic = Arithmetic.NONE
    scatter_view = scatter_by_vjp
    pointwise = True
    layout = LIKE_INPUT

    def __call__(self, input_x: Any, dtype: Any) -> Tensor:
        """Return ``input_x``, which may be a number or a list, as a tensor of ``dtype``."""
        return super().__call__(input_x if isinstance(input_x, Tensor) else Tensor(input_x), dtype)

    def infer(self, x: Spec, dtype: Any) -> Spec:
        """Return the spec in the new dtype; raise TypeError for text to numbers, or the reverse."""
        tensor, new_dtype = check_tensor_spec(self.name, x), mstype.to_numpy(dtype)
        if (tensor.dtype.kind in "US") != (new_dtype.kind in "US"):
            raise TypeError(f"Cast: text must stay text, and numbers numbers, got {x} to {dtype}.")
        return Spec(tensor.shape, new_dtype)

    def view(self, x: np.ndarray, dtype: Any) -> np.ndarray | None:
        """Return x itself if it already has the dtype, else None."""
        return x if x.dtype == mstype.to_numpy(dtype) else None

    def kernel(self, x: np.ndarray, dtype: Any, *, out: np.ndarray) -> None:
        """Convert the elements; complex numbers lose their imaginary part, unless cast to bool, and
        NaN may become any integer.
        """
        if x.dtype.kind == "c" and out.dtype.kind not in "cb":
            x = x.real
        if x.dtype.kind == "f" and out.dtype.kind in "iu":
            # NaN and values out of range may become any integer.
            with np.errstate(invalid="ignore"):
                np.copyto(out, x, casting="unsafe")
        else:
            half.convert(x, out)

    def vjp(self, x: Tensor, dtype: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x, which casts to the dtype of x, even to integers."""
        # The gradient of an integer input is cast to integers as well.
        return lambda: apply_to_rows(lambda d: Cast()(d, x.dtype), dout), None


class _IdentityOp(Primitive):
    """Base of ops that return x unchanged, as a view."""

    arithmetic = Arithmetic.NONE
    layout = LIKE_INPUT
    reuse = (0,)

    def infer(self, x: Spec) -> Spec:
        return check_tensor_spec(self.name, x)

    def view(self, x: np.ndarray) -> np.ndarray:
        """Return x itself."""
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, x)


class Identity(_IdentityOp):
    """``x``, unchanged.

    >>> print(Identity()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (dout,)


class ConvertToDynamic(Identity):
    """``x``; unlike in MindSpore, its shape remains static.

    Args:
        is_dynamic_rank: ignored; accepted for compatibility with MindSpore.

    >>> print(ConvertToDynamic()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    is_dynamic_rank: bool = False


class StopGradient(_IdentityOp):
    """``x``, through which no gradient flows back.

    >>> print(StopGradient()(Tensor([1.0, 2.0])))
    [1. 2.]
    """


class _Constant(Primitive):
    """Base of ops that fill a tensor of the shape and dtype of x with one number."""

    layout = LIKE_INPUT

    def infer(self, x: Spec) -> Spec:
        return check_tensor_spec(self.name, x)


class ZerosLike(_Constant):
    """Zeros in the shape and dtype of ``x``.

    >>> print(ZerosLike()(Tensor([1.0, 2.0])))
    [0. 0.]
    """

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out.fill(0)


class OnesLike(_Constant):
    """Ones in the shape and dtype of ``x``.

    >>> print(OnesLike()(Tensor([3, 4])))
    [1 1]
    """

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out.fill(1)


class Fill(Primitive):
    """A tensor of ``dtype`` and the shape ``dims`` filled with ``x``, a number or a one-element
    tensor.

    >>> print(Fill()(mstype.float32, (2, 2), 3))
    [[3. 3.]
     [3. 3.]]
    """

    def __call__(self, dtype: Any, dims: Any, x: Any) -> Tensor:
        """Return the filled tensor; apply :class:`FillV2` to a tensor ``x``, for its gradient."""
        if isinstance(x, Tensor):  # FillV2 differentiates by the value
            return FillV2()(dims, Cast()(x, dtype))
        return super().__call__(dtype, to_static(dims), to_static(x))

    def infer(self, dtype: Any, shape: Any, value: Any) -> Spec:
        """Return the spec of this shape and dtype; raise TypeError unless the value is a number."""
        if not isinstance(value, bool | int | float | complex):
            raise TypeError(
                f"{self.name}: value must be a number, got {value!r} ({value.__class__.__name__})."
            )
        return Spec(check_shape(self.name, shape), mstype.to_numpy(dtype))

    def kernel(self, dtype: Any, shape: Any, value: Any, *, out: np.ndarray) -> None:
        out.fill(value)


class FillV2(Primitive):
    """``value``, a one-element tensor, repeated to ``shape``; differentiable by ``value``.

    >>> print(FillV2()((2, 2), Tensor(1.5)))
    [[1.5 1.5]
     [1.5 1.5]]
    """

    def __call__(self, shape: Any, value: Any) -> Tensor:
        """Return ``value``, a tensor or number, repeated to ``shape``."""
        return super().__call__(
            to_static(shape), value if isinstance(value, Tensor) else Tensor(value)
        )

    def infer(self, shape: Any, value: Spec) -> Spec:
        """Return the spec of this shape in the dtype of value; raise ValueError unless it has one
        element.
        """
        if check_tensor_spec(self.name, value, "value").size != 1:
            raise ValueError(f"{self.name}: value must hold one element, got {value}.")
        return Spec(check_shape(self.name, shape), value.dtype)

    def kernel(self, shape: Any, value: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = value.reshape(())

    def vjp(self, shape: Any, value: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of value: the sum of the cotangent."""
        return None, lambda: call(
            "Reshape", call("ReduceSum", dout, tuple(range(dout.ndim))), value.shape
        )


class Zeros(Primitive):
    """Zeros of the shape ``size`` and of ``dtype``.

    >>> print(Zeros()((2, 3), mstype.int32))
    [[0 0 0]
     [0 0 0]]
    """

    def __call__(self, size: Any, dtype: Any = None) -> Tensor:
        """Return the zeros, float32 without ``dtype``."""
        return super().__call__(to_static(size), mstype.float32 if dtype is None else dtype)

    def infer(self, shape: Any, dtype: Any) -> Spec:
        """Return the spec of this shape and dtype; raise TypeError or ValueError unless it is a
        shape.
        """
        return Spec(check_shape(self.name, shape), mstype.to_numpy(dtype))

    def kernel(self, shape: Any, dtype: Any, *, out: np.ndarray) -> None:
        out.fill(0)


class Ones(Zeros):
    """Ones of ``shape`` and ``dtype``.

    >>> print(Ones()((2,), mstype.float32))
    [1. 1.]
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """Return the ones, float32 without ``dtype``."""
        return super().__call__(shape, dtype)

    def kernel(self, shape: Any, dtype: Any, *, out: np.ndarray) -> None:
        out.fill(1)


# -- queries: they return Python values immediately, in both modes --------------------------------


class _TensorQuery(Primitive):
    """Base of ops that return a tensor's property as a Python value, without a node or kernel."""

    question = True

    def __call__(self, x: Any) -> Any:
        """Return the property of ``x`` immediately; raise TypeError unless ``x`` is a Tensor."""
        if not isinstance(x, Tensor):
            raise TypeError(f"{self.name}: input must be a Tensor, got {x!r} ({type(x).__name__}).")
        return self.get_property(x)

    def get_property(self, x: Tensor) -> Any:
        """Return the property of ``x``; overridden by each subclass, otherwise a TypeError."""
        raise TypeError(f"{self.name}: asks nothing.")


class Shape(_TensorQuery):
    """The shape as a tuple of ints.

    >>> Shape()(Tensor([[1, 2, 3]]))
    (1, 3)
    """

    def get_property(self, x: Tensor) -> tuple[int, ...]:
        return x.shape


class DType(_TensorQuery):
    """The data type.

    >>> DType()(Tensor([1.0]))
    mindspore.float32
    """

    def get_property(self, x: Tensor) -> Any:
        return x.dtype


class Rank(_TensorQuery):
    """The number of axes.

    >>> Rank()(Tensor([[1, 2]]))
    2
    """

    def get_property(self, x: Tensor) -> int:
        return x.ndim


class Size(_TensorQuery):
    """The number of elements.

    >>> Size()(Tensor([[1, 2]]))
    2
    """

    def get_property(self, x: Tensor) -> int:
        return x.size


# -- functions ------------------------------------------------------------------------------------

_cast, _identity = Cast(), Identity()


def cast(input: Any, dtype: Any) -> Tensor:
    """Cast ``input``, a tensor or a value that can become one, to ``dtype``.

    A tensor that has this dtype already is returned as a view.
    """
    return _cast(input, dtype)


def identity(x: Any) -> Any:
    """Return ``x``, a tensor as a new one with the same elements, any other object itself."""
    return _identity(x) if isinstance(x, Tensor) else x


def zeros_like(input: Tensor, *, dtype: Any = None) -> Tensor:
    """Return zeros in the shape of ``input``, in ``dtype`` or, without it, in that of ``input``."""
    return ZerosLike()(input) if dtype is None else Zeros()(input.shape, dtype)


def ones_like(input: Tensor, *, dtype: Any = None) -> Tensor:
    """Return ones in the shape of ``input``, in ``dtype`` or, without it, in that of ``input``."""
    return OnesLike()(input) if dtype is None else Ones()(input.shape, dtype)


def zeros(size: Any, dtype: Any = None) -> Tensor:
    """Return zeros in the shape ``size``, float32 by default."""
    return Zeros()(size, dtype)


def ones(shape: Any, dtype: Any = None) -> Tensor:
    """Return ones in ``shape``, float32 by default."""
    return Ones()(shape, dtype)


def fill(type: Any, shape: Any, value: Any) -> Tensor:
    """Return a tensor of ``shape`` and dtype ``type`` filled with ``value``, a number or a
    one-element tensor.
    """
    return Fill()(type, shape, value)


def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """Return a tensor of the shape ``size`` filled with ``fill_value``, a number or a one-element
    tensor.

    The default ``dtype`` is int64, whatever the value.

    >>> print(full((2,), 0.5), full((2,), 0.5, dtype=mstype.float32))
    [0 0] [0.5 0.5]
    """
    return Fill()(mstype.int64 if dtype is None else dtype, size, fill_value)


def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """Return a tensor in the shape of ``input`` filled with ``fill_value``, in ``dtype`` or,
    without it, in that of ``input``.

    Raises:
        TypeError: ``input`` is not a Tensor, or ``fill_value`` is not a number.
    """
    check_tensors("full_like", input=input)
    return Fill()(input.dtype if dtype is None else dtype, input.shape, fill_value)


@method("fills")
def fills(x: Tensor, value: Any) -> Tensor:
    """Return a tensor of the shape and dtype of ``x`` filled with ``value``, a number or a
    one-element tensor.
    """
    check_tensors("fills", x=x)
    return Fill()(x.dtype, x.shape, value)


def shape(input_x: Tensor) -> tuple[int, ...]:
    """Return the shape of a tensor as a tuple of ints; raise TypeError for anything else."""
    return Shape()(input_x)


def dtype(x: Tensor) -> mstype.DType:
    """Return the data type of a tensor; raise TypeError for anything else."""
    return DType()(x)


def rank(input_x: Tensor) -> int:
    """Return the number of axes of a tensor; raise TypeError for anything else."""
    return Rank()(input_x)


def size(input_x: Tensor) -> int:
    """Return the number of elements of a tensor; raise TypeError for anything else."""
    return Size()(input_x)


def numel(input: Tensor) -> int:
    """Return the number of elements of a tensor; raise TypeError for anything else."""
    return Size()(input)


__all__ = [
    "Cast",
    "DType",
    "Fill",
    "FillV2",
    "Identity",
    "Ones",
    "OnesLike",
    "Rank",
    "Shape",
    "Size",
    "StopGradient",
    "Zeros",
    "ZerosLike",
    "cast",
    "dtype",
    "fill",
    "fills",
    "full",
    "full_like",
    "identity",
    "numel",
    "ones",
    "ones_like",
    "rank",
    "shape",
    "size",
    "zeros",
    "zeros_like",
]
