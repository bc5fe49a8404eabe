"""Wrappers around networks."""
# ruff: noqa: F403  each family says in its __all__ what is public

from minispore.nn.wrap import cell_wrapper
from minispore.nn.wrap.cell_wrapper import *

__all__ = [*cell_wrapper.__all__]
