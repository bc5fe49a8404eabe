"""Door: the base of all ops, at ``mindspore.ops.primitive``."""

from minispore.core.primitive import Primitive as Primitive
from minispore.ops.multitype import _primexpr as _primexpr
from minispore.ops.multitype import constexpr as constexpr
