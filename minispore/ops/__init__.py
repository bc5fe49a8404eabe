"""The ops: primitives (``ops.Concat``) and functions (``ops.concat``), a family per file."""
# ruff: noqa: F403  each family says in its __all__ what is public

from minispore.described import describe as _describe
from minispore.later import later as _later
from minispore.ops import composite as composite
from minispore.ops import function as function
from minispore.ops import functional as functional
from minispore.ops import primitive as primitive
from minispore.ops.vocabulary import *

_ROOMS = {
    "auto_generate": "minispore.ops.auto_generate",
    "operations": "minispore.ops.operations",
}
__getattr__, __dir__ = _later(__name__, _ROOMS)

_describe(__name__)
