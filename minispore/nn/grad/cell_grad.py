"""Jvp and Vjp: Cells that return a network's output and a product with its Jacobian."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore import ops
from minispore.nn.cell import Cell


class _JacobianProduct(Cell):
    """Base of Jvp and Vjp, which are called with the inputs of ``fn`` and then ``v``."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def _check_structure(self, v: Any, like: Any, like_name: str) -> None:
        """Check that ``v`` is a tuple where ``like`` has several tensors, else a tensor.

        Raises:
            TypeError: the structure of ``v`` differs.
        """
        if isinstance(v, tuple | list) != isinstance(like, tuple | list):
            required = "a tuple" if isinstance(like, tuple | list) else "a Tensor"
            raise TypeError(
                f"{type(self).__name__}: v must be {required}, as {like_name} is, got "
                f"{type(v).__name__}."
            )


class Jvp(_JacobianProduct):
    """The output of ``fn`` and its directional derivative J v. See also :func:`ops.jvp`.

    Args:
        fn (Cell or function): a function of one or more tensors.

    Inputs:
        The inputs of ``fn``, then ``v``: a Tensor for one input, a tuple for several.

    Returns:
        The output, and its directional derivative with the same structure.

    Raises:
        TypeError: the structure of ``v`` differs from that of the inputs.
        ValueError: a shape of ``v`` differs.

    Example:
        >>> import minispore as ms
        >>> x, v = ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0])
        >>> def cube(x):
        ...     return x**3
        >>> out, change = Jvp(cube)(x, v)
        >>> print(out, change)
        [1. 8.] [ 3. 12.]
    """

    def construct(self, *args: Any) -> tuple[Any, Any]:
        """Return the output and J v; the last argument is ``v``."""
        *inputs, v = args
        like = inputs[0] if len(inputs) == 1 else tuple(inputs)
        self._check_structure(v, like, "the input")
        if len(inputs) == 1 and isinstance(like, tuple | list):
            return ops.jvp(lambda *parts: self.fn(type(like)(parts)), like, v)
        return ops.jvp(self.fn, like, v)


class Vjp(_JacobianProduct):
    """The output of ``fn`` and the vector-Jacobian product v J.

    New code uses :func:`ops.vjp`.

    Args:
        fn (Cell or function): a function of one or more tensors.

    Inputs:
        The inputs of ``fn``, then ``v``: a Tensor for one output, a tuple for several.

    Returns:
        The output, and the product: a Tensor for one input, a tuple for several.

    Raises:
        TypeError: the structure of ``v`` differs from that of the output.
        ValueError: a shape of ``v`` differs.

    Example:
        >>> import minispore as ms
        >>> x, y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])
        >>> def mixed(x, y):
        ...     return 2 * x + y
        >>> out, (dx, dy) = Vjp(mixed)(x, y, ms.Tensor([1.0, 1.0]))
        >>> print(out, dx, dy)
        [5. 8.] [2. 2.] [1. 1.]
    """

    def construct(self, *args: Any) -> tuple[Any, Any]:
        """Return the output and v J (a tuple for several inputs); the last argument is ``v``."""
        *inputs, v = args
        out, vjp_fn = ops.vjp(self.fn, *inputs)
        self._check_structure(v, out, "the output")
        grads = vjp_fn(*v) if isinstance(v, tuple | list) else vjp_fn(v)
        if isinstance(grads, tuple | list) and len(inputs) == 1:
            return out, grads[0]
        return out, grads
