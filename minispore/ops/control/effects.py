"""Ops with effects: assignments, the device queue, printing, and the order between effects."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.primitive import Calls, Cotangents, Effect, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir import runtime as seam
from minispore.ir.value import Spec
from minispore.ops.elementwise.rounding import Neg
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support import printing
from minispore.ops.support.arguments import cast_to_fit, check_dtype_fits, check_tensor_spec


class _Assigning(Primitive):
    """Base of ops that write a new value into ``variable`` and return its new content."""

    mutates = (0,)
    scalars = True  # a value of one element is broadcast

    def __call__(self, variable: Any, value: Any) -> Any:
        """Write ``value``, a tensor or Python scalar, into ``variable``; return its new content.

        If ``variable`` is a low-precision copy, ``value`` is written into its Parameter.
        """
        if not isinstance(variable, Tensor):
            raise TypeError(
                f"{self.name}: variable must be a Parameter or Tensor, got {variable!r} "
                f"({type(variable).__name__})."
            )
        # For a low-precision copy, write to its Parameter.
        variable = getattr(variable, "source", variable)
        if not isinstance(value, Tensor):
            value = cast_to_fit(self.name, variable, value, "value", "variable")
        return super().__call__(variable, value)

    def infer(self, variable: Spec, value: Any) -> Spec:
        """Return the variable's spec; raise unless ``value`` fits its dtype and shape.

        Where ``scalars`` is set, a value of one element is allowed too.
        """
        check_tensor_spec(self.name, value, "value")
        check_dtype_fits(self.name, variable, value)
        if value.shape != variable.shape and not (self.scalars and value.size == 1):
            raise ValueError(
                f"{self.name}: value must have the variable's shape, got {value} for {variable}."
            )
        return variable


class Assign(_Assigning):
    """``variable`` := ``value``.

    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> print(Assign()(p, Tensor([2.0])).asnumpy())
    [2.]
    """

    scalars = False

    def kernel(self, variable: np.ndarray, value: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, value, casting="unsafe")

    def vjp(self, variable: Tensor, value: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the cotangent as the gradient of the variable, and none for the value."""
        # As in MindSpore, the result is the variable, so the value gets no gradient.
        return (
            dout,
            None,
        )


class AssignAdd(_Assigning):
    """``variable`` := ``variable + value``.

    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> print(AssignAdd()(p, 2.0).asnumpy())
    [3.]
    """

    def calls(
        self, variable: np.ndarray, value: np.ndarray, *, out: np.ndarray, work: Any
    ) -> Calls:
        return [partial(np.add, variable, _drop_unit_axes(value, out), out=out, casting="unsafe")]

    def vjp(self, variable: Tensor, value: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return dout, lambda: _reduce_to_value(dout, value)


class AssignSub(_Assigning):
    """``variable`` := ``variable - value``.

    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> print(AssignSub()(p, 2.0).asnumpy())
    [-1.]
    """

    def calls(
        self, variable: np.ndarray, value: np.ndarray, *, out: np.ndarray, work: Any
    ) -> Calls:
        return [
            partial(np.subtract, variable, _drop_unit_axes(value, out), out=out, casting="unsafe")
        ]

    def vjp(self, variable: Tensor, value: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return dout, lambda: Neg()(_reduce_to_value(dout, value))


def _drop_unit_axes(value: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Return ``value`` if it has the shape of ``out``, else its single element as a 0-d array."""
    return value if value.shape == out.shape else value.reshape(())


def _reduce_to_value(dout: Tensor, value: Tensor) -> Tensor:
    """Sum ``dout`` to the shape of ``value`` if the shapes differ, and cast it to the dtype of
    ``value``.
    """
    if value.shape != dout.shape:
        dout = Reshape()(ReduceSum()(dout, tuple(range(dout.ndim))), value.shape)
    return Cast()(dout, value.dtype)


class GetNext(Primitive):
    """The next batch of the device queue ``shared_name``: a tuple of ``output_num`` tensors.

    Args:
        types: the dtype of each column.
        shapes: the shape of each column.
        output_num: the number of columns.
        shared_name: the name of the queue.

    Raises:
        TypeError: ``types`` or ``shapes`` is not a list or tuple, or ``output_num`` is not an int.
        ValueError: the numbers of types and shapes differ.
        RuntimeError: when called: the device has no queues (CPU), or no batch can arrive.

    >>> GetNext([mstype.float32], [[2, 2]], 1, "queue").output_num
    1
    """

    types: Any
    shapes: Any
    output_num: int
    shared_name: str
    effect = Effect.EXTERNAL
    dynamic = True  # The runtime returns its own arrays, although the specs are known.
    vjp_rule = VjpRule(takes_tuples=True)

    def __init__(self, types: Any, shapes: Any, output_num: int, shared_name: str) -> None:
        """Check that ``types`` and ``shapes`` are sequences of equal length, and ``output_num`` an
        int.
        """
        for name, value in (("types", types), ("shapes", shapes)):
            if not isinstance(value, list | tuple):
                raise TypeError(
                    f"GetNext: {name} must be a list or tuple, got {value!r} "
                    f"({type(value).__name__})."
                )
        if len(types) != len(shapes):
            raise ValueError(
                f"GetNext: types and shapes must be of equal length, got {len(types)} and "
                f"{len(shapes)}."
            )
        super().__init__(
            types, shapes, checks.integer("GetNext", "output_num", output_num), shared_name
        )

    def infer(self) -> tuple[Spec, ...]:
        return tuple(
            Spec(tuple(s), mstype.to_numpy(t)) for t, s in zip(self.types, self.shapes, strict=True)
        )

    def kernel(self, *, out: Any = None) -> tuple[np.ndarray, ...]:
        """Return the columns of the next batch, which the runtime takes from the queue."""
        return tuple(seam.runtime.fetch(self.shared_name))


class Print(Primitive):
    """Write the inputs, text and tensors, to standard output in order; on an Ascend
    with ``set_context(print_file_path=...)``, into that file.

    >>> _ = Print()("x:", Tensor([1, 2]))
    x:
    Tensor(shape=[2], dtype=Int64, value= [1, 2])
    """

    effect = Effect.EXTERNAL

    def infer(self, *args: Any) -> Spec:
        """Return the spec of the output, a 0-d int32."""
        return Spec((), np.dtype(np.int32))

    def kernel(self, *args: Any, out: np.ndarray) -> None:
        """Print the arguments, or write them to the print file; the output is a 0."""
        printing.printer(args)
        out.fill(0)


class Depend(Primitive):
    """``value``, computed after ``expr``: both modes keep program order, so this is the identity.

    >>> print(Depend()(Tensor(1.0), Tensor(2.0)))
    1.0
    """

    question = True

    def __call__(self, value: Any, expr: Any) -> Any:
        return value


class ControlDepend(Primitive):
    """MindSpore 1's ``dst`` after ``src``: both modes keep program order, so it does nothing.

    >>> ControlDepend()(Tensor(1.0), Tensor(2.0))
    """

    depend_mode: int = 0
    question = True

    def __call__(self, src: Any, dst: Any) -> None:
        return None


class Load(Primitive):
    """The present content of ``variable``, which later assignments do not change.

    >>> print(Load()(Parameter(Tensor([1.0]), name="p")))
    [1.]
    """

    question = True

    def __call__(self, variable: Any, u: Any = None) -> Any:
        return variable.value() if isinstance(variable, Parameter) else variable


# -- functions ------------------------------------------------------------------------------------


def assign(variable: Any, value: Any) -> Any:
    """Write ``value`` to the Parameter ``variable``, and return its new content as a tensor."""
    return Assign()(variable, value)


def assign_add(variable: Any, value: Any) -> Any:
    """Add ``value`` to the Parameter ``variable`` in place; return its new content as a tensor."""
    return AssignAdd()(variable, value)


def assign_sub(variable: Any, value: Any) -> Any:
    """Subtract ``value`` from the Parameter ``variable`` in place; return its new content as a
    tensor.
    """
    return AssignSub()(variable, value)


def depend(value: Any, expr: Any) -> Any:
    """Return ``value``, computed after ``expr``."""
    return Depend()(value, expr)


def print_(*input_x: Any) -> None:
    """Write text and tensors to standard output, or to the print file, as :class:`Print` does."""
    Print()(*input_x)


__all__ = [
    "Assign",
    "AssignAdd",
    "AssignSub",
    "ControlDepend",
    "Depend",
    "GetNext",
    "Load",
    "Print",
    "assign",
    "assign_add",
    "assign_sub",
    "depend",
    "print_",
]
