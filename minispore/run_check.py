"""``run_check()``: checks that the installed package works."""

from __future__ import annotations

import numpy as np

from minispore import context
from minispore.core.autograd import value_and_grad
from minispore.core.tensor import Tensor
from minispore.foundation.version import __version__


def run_check() -> None:
    """Compute a product and its gradient on the current target, and print that they are right.

    Raises:
        RuntimeError: the results are wrong.

    >>> run_check()  # doctest: +ELLIPSIS
    minispore ..., a product and its gradient on the CPU: right.
    """
    x, y = (np.arange(1.0, 5.0, dtype=np.float32).reshape(2, 2) * n for n in (1, -3))
    product, slope = value_and_grad(lambda x, y: x * y)(Tensor(x), Tensor(y))
    target = context.get_context("device_target")
    description = f"minispore {__version__}, a product and its gradient on the {target}"
    if not (np.array_equal(product.asnumpy(), x * y) and np.array_equal(slope.asnumpy(), y)):
        raise RuntimeError(f"{description}: wrong, {product} and {slope} from {x} and {y}.")
    print(f"{description}: right.")


__all__ = ["run_check"]
