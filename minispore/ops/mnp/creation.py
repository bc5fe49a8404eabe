"""Functions that create tensors (array, zeros, arange, ...), int32 and float32 by default."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.support.arguments import to_static

_PYTHON_DTYPES: dict[Any, Any] = {
    **dict.fromkeys((int, "int"), mstype.int32),
    **dict.fromkeys((float, "float"), mstype.float32),
    "uint": mstype.uint32,
}


def resolve_dtype(dtype: Any) -> Any:
    """Return the dtype of a Python type or dtype name in ``mindspore.numpy``: ``int`` is int32,
    ``float`` is float32. Return anything else, such as a dtype or None, unchanged.
    """
    if not isinstance(dtype, type | str):
        return dtype
    return _PYTHON_DTYPES.get(dtype) or mstype.resolve_dtype(dtype)


def resolve_astype_dtype(dtype: Any) -> Any:
    """Return the dtype to which ``astype`` resolves a type or name: ``float`` is float64, ``int``
    is int64. Return anything else unchanged.
    """
    if isinstance(dtype, type):
        return mstype.pytype_to_dtype(dtype)
    return mstype.resolve_dtype(dtype) if isinstance(dtype, str) else dtype


def to_tensor(x: Any, dtype: Any = None) -> Tensor:
    """Convert an array-like object to a tensor; Python ints become int32, floats float32.

    A tensor is returned itself unless its dtype differs from ``dtype``; arrays keep their dtype; a
    sequence that contains tensors is stacked. Raises TypeError for text.
    """
    dtype = resolve_dtype(dtype)
    if isinstance(x, Tensor) and x.dtype is not mstype.string:
        return x if dtype is None or x.dtype is dtype else ops.cast(x, dtype)
    if isinstance(x, list | tuple) and any(isinstance(e, Tensor) for e in x):
        stacked = ops.stack([to_tensor(e) for e in x])
        return stacked if dtype is None else ops.cast(stacked, dtype)
    array = np.asarray(x.asnumpy() if isinstance(x, Tensor) else x)
    if array.dtype.kind in "US":
        raise TypeError(
            "Tensor: input_data must be numbers, a NumPy array of numbers or a Tensor, got "
            f"{type(x).__name__} ({array.dtype})."
        )
    if dtype is None and not isinstance(x, np.ndarray | np.generic):
        dtype = {"i": mstype.int32, "f": mstype.float32}.get(array.dtype.kind)
    return Tensor(array, dtype)


def to_tensor_int64(x: Any) -> Tensor:
    """Convert an array-like object to a tensor; Python ints become int64, floats float32."""
    tensor = to_tensor(x)
    keeps_dtype = isinstance(x, Tensor | np.ndarray | np.generic) or tensor.dtype != mstype.int32
    return tensor if keeps_dtype else ops.cast(tensor, mstype.int64)


def to_single_or_less(x: Tensor) -> Tensor:
    """Cast a real tensor, also float64, to float32; return float16, float32 and complex tensors
    unchanged.
    """
    keeps_dtype = x.dtype in (mstype.float16, mstype.float32) or x.dtype.kind == "c"
    return x if keeps_dtype else ops.cast(x, mstype.float32)


def widen_half_floats(x: Tensor) -> Tensor:
    """Cast a float16 or bfloat16 tensor to float32; return any other tensor unchanged."""
    is_half = x.dtype in (mstype.float16, mstype.bfloat16)
    return ops.cast(x, mstype.float32) if is_half else x


def check_sequence(api_name: str, name: str, xs: Any) -> Any:
    """Return ``xs`` if it is a tuple, list or array.

    Raises:
        TypeError: ``xs`` has another type.
    """
    if not isinstance(xs, tuple | list | Tensor | np.ndarray):
        rule = "be a tuple or list of tensors"
        raise TypeError(checks.format_error(api_name, name, rule, checks.format_value(xs)))
    return xs


def all_to_tensors(api_name: str, name: str, xs: Any) -> list[Tensor]:
    """Convert each element of a sequence to a tensor; raise TypeError if ``xs`` is not a
    sequence.
    """
    return [to_tensor(x) for x in check_sequence(api_name, name, xs)]


def array(obj: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """Return ``obj`` as a tensor with at least ``ndmin`` axes; with ``copy``, as a new tensor.

    Python ints become int32, floats float32; axes are added in front.

    >>> array([1, 2]).dtype, array([1.5]).dtype
    (mindspore.int32, mindspore.float32)
    """
    tensor = to_tensor(obj, dtype)
    if copy and tensor is obj:
        tensor = ops.identity(tensor)
    if tensor.ndim < ndmin:
        tensor = ops.reshape(tensor, (1,) * (ndmin - tensor.ndim) + tensor.shape)
    return tensor


def asarray(a: Any, dtype: Any = None) -> Tensor:
    """Return ``a`` as a tensor, cast to ``dtype``; a tensor of this dtype is returned itself.

    Python ints become int32, floats float32.
    """
    return to_tensor(a, dtype)


def asfarray(a: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return ``a`` as a float tensor, by default float32; an integer ``dtype`` means float32, None
    keeps the dtype of a Tensor or array.
    """
    if dtype is not None and mstype.to_numpy(resolve_dtype(dtype)).kind in "biu":
        dtype = mstype.float32
    return to_tensor(a, dtype)


def copy(a: Any) -> Tensor:
    """Return a copy of ``a`` as a tensor, through which gradients flow."""
    return ops.identity(to_tensor(a))


def zeros(shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return a tensor of ``shape`` filled with 0."""
    return ops.zeros(shape, resolve_dtype(dtype))


def ones(shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return a tensor of ``shape`` filled with 1."""
    return ops.ones(shape, resolve_dtype(dtype))


def empty(shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return a tensor of ``shape`` with unspecified content (in minispore, zeros).

    As in MindSpore, a Python type or a name as ``dtype`` raises TypeError.
    """
    return ops.zeros(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """Return a tensor of ``shape`` filled with ``fill_value``, which is broadcast.

    The default ``dtype`` is that of ``fill_value``: int32 for ints, float32 for floats.

    >>> print(full((2,), 3))
    [3 3]
    """
    value = to_tensor(fill_value, dtype)
    return ops.broadcast_to(value, to_static(shape))


def zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return a tensor with the shape and dtype of ``a``, unless these are passed, filled with 0."""
    return full_like(a, 0, dtype, shape)


def ones_like(a: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return a tensor with the shape and dtype of ``a``, unless these are passed, filled with 1."""
    return full_like(a, 1, dtype, shape)


def empty_like(prototype: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return a tensor with the shape and dtype of ``prototype``, unless these are passed, and
    unspecified content (in minispore, zeros).
    """
    return full_like(prototype, 0, dtype, shape)


def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """Return a tensor with the shape and dtype of ``a``, filled with ``fill_value``.

    ``dtype`` and ``shape`` override those of ``a``. Without ``dtype``, a Tensor ``fill_value``
    keeps its dtype.
    """
    template = to_tensor(a)
    if dtype is None and not isinstance(fill_value, Tensor):
        dtype = template.dtype
    value = to_tensor(fill_value, dtype)
    return ops.broadcast_to(value, template.shape if shape is None else to_static(shape))


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Tensor:
    """Return start, start + step, ... below ``stop``; a single argument is the stop, with start 0.

    The default dtype is int32 if all arguments are Python ints, else float32.

    Raises:
        TypeError: a limit or the step is not a number.
        ValueError: the range is empty, since tensors of length 0 are not supported.

    >>> print(arange(3), arange(1, 2, 0.5))
    [0 1 2] [1.  1.5]
    """
    if stop is None:
        start, stop = 0, start
    numbers = (start, stop, 1 if step is None else step)
    if dtype is None:
        all_ints = all(isinstance(n, int) for n in numbers)
        dtype = mstype.int32 if all_ints else mstype.float32
    output = ops.Range()(*numbers, resolve_astype_dtype(dtype))
    if not output.size:
        raise ValueError(
            f"arange: a range must hold a number, got {start} to {stop}: a tensor of zero shape is "
            "not supported."
        )
    return output


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return ``num`` evenly spaced numbers from ``start`` to ``stop``; with retstep also the step.

    Without ``endpoint``, ``stop`` is excluded. Limits with axes are broadcast, and the numbers form
    the new axis ``axis``. The default ``dtype`` is float32.

    >>> print(linspace(0, 1, 3))
    [0.  0.5 1. ]
    """
    start_tensor, stop_tensor = to_tensor(start, mstype.float32), to_tensor(stop, mstype.float32)
    checks.integer("linspace", "num", to_static(num))
    interval_count = max(num - 1 if endpoint else num, 1)
    step = (stop_tensor - start_tensor) / interval_count
    shape = (-1,) + (1,) * np.broadcast(start_tensor.asnumpy(), stop_tensor.asnumpy()).ndim
    output = start_tensor + ops.reshape(ops.arange(num, dtype=mstype.float32), shape) * step
    output = ops.movedim(output, 0, axis) if axis else output
    output = output if dtype is None else ops.cast(output, resolve_dtype(dtype))
    return (output, step) if retstep else output


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """Return ``base`` to the power of ``num`` evenly spaced numbers from ``start`` to ``stop``.

    Without ``endpoint``, ``stop`` is excluded. Limits with axes are broadcast, and the numbers form
    the new axis ``axis``. The default ``dtype`` is float32.
    """
    output = ops.pow(float(base), linspace(start, stop, num, endpoint, False, None, axis))
    return output if dtype is None else ops.cast(output, resolve_dtype(dtype))


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = mstype.float32) -> Tensor:
    """Return an (N, M) matrix with ones on diagonal ``k`` and zeros elsewhere; ``M`` is ``N`` by
    default.

    >>> print(eye(2, k=1))
    [[0. 1.]
     [0. 0.]]
    """
    checks.integer("eye", "N", to_static(N))
    checks.integer("eye", "k", to_static(k))
    return Tensor(np.eye(N, M, k), resolve_dtype(dtype))


def identity(n: int, dtype: Any = mstype.float32) -> Tensor:
    """Return the identity matrix with n rows."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = mstype.float32) -> Tensor:
    """Return an (N, M) matrix with ones on and below diagonal ``k`` and zeros above; ``M`` is ``N``
    by default.
    """
    checks.integer("tri", "N", to_static(N))
    checks.integer("tri", "k", to_static(k))
    return Tensor(np.tri(N, M, k), dtype)


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> list[Tensor]:
    """Return the coordinates of a grid, one tensor for each of the flattened inputs.

    With ``sparse``, each has length 1 along all other axes. ``indexing`` "xy" swaps the first two
    axes of the grid, "ij" does not.
    """
    vectors = [ops.ravel(to_tensor(x)) for x in xi]
    if not sparse:
        return list(ops.meshgrid(*vectors, indexing=indexing)) if len(vectors) > 1 else vectors
    axes = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        axes[:2] = [1, 0]
    return [
        ops.reshape(v, tuple(-1 if i == axis else 1 for i in range(len(vectors))))
        for v, axis in zip(vectors, axes, strict=True)
    ]


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Return the rows and the columns of the elements on or below diagonal ``k`` of an (n, m)
    matrix, two int32 vectors. ``m`` is ``n`` by default.
    """
    rows, columns = _make_row_and_column_indices(n, m)
    return _find_true(columns <= rows + to_static(k))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Return the rows and the columns of the elements on or above diagonal ``k`` of an (n, m)
    matrix, two int32 vectors. ``m`` is ``n`` by default.
    """
    rows, columns = _make_row_and_column_indices(n, m)
    return _find_true(columns >= rows + to_static(k))


def _make_row_and_column_indices(n: Any, m: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the row (n, 1) and column (m,) indices of a matrix, whose lengths may be floats; an
    ``m`` of None is ``n``.
    """
    return np.arange(to_static(n))[:, None], np.arange(to_static(n if m is None else m))


def _find_true(mask: np.ndarray) -> tuple[Tensor, Tensor]:
    """Return the row and column indices of the true elements, two int32 vectors in row-major
    order.
    """
    rows, columns = np.nonzero(mask)
    return Tensor(rows, mstype.int32), Tensor(columns, mstype.int32)


def rand(*shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return numbers drawn uniformly from [0, 1), in a shape passed as ints or one tuple.

    Draws from the default generator.
    """
    return ops.rand(*_normalise_shape_arguments(shape), dtype=resolve_dtype(dtype))


def randn(*shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return numbers drawn from the standard normal distribution, in a shape passed as ints or one
    tuple.

    Draws from the default generator.
    """
    return ops.randn(*_normalise_shape_arguments(shape), dtype=resolve_dtype(dtype))


def randint(
    minval: int, maxval: Any = None, shape: Any = None, dtype: Any = mstype.int32
) -> Tensor:
    """Return integers drawn from [minval, maxval), or from [0, minval) without ``maxval``.

    Draws from the default generator; without ``shape``, a 0-d tensor.
    """
    if maxval is None:
        minval, maxval = 0, minval
    size = () if shape is None else to_static(shape)
    size = size if isinstance(size, tuple) else (size,)
    return ops.randint(minval, maxval, size, dtype=resolve_dtype(dtype))


def _normalise_shape_arguments(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape passed as ``f(2, 3)`` or as ``f((2, 3))`` as a tuple."""
    sizes = to_static(shape[0] if len(shape) == 1 else shape)
    return sizes if isinstance(sizes, tuple) else (sizes,)


__all__ = [
    "arange",
    "array",
    "asarray",
    "asfarray",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "identity",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "rand",
    "randint",
    "randn",
    "tri",
    "tril_indices",
    "triu_indices",
    "zeros",
    "zeros_like",
]
