"""Cells that compute derivatives: Jvp, Vjp."""

from minispore.nn.grad.cell_grad import Jvp as Jvp
from minispore.nn.grad.cell_grad import Vjp as Vjp

__all__ = ["Jvp", "Vjp"]
