"""Door: compiling functions at ``mindspore.common.api``."""

from minispore.core.autograd import no_grad as _no_grad
from minispore.graph.staging import jit, jit_class, ms_function
from minispore.graph.staging import jit_class as ms_class

__all__ = ["_no_grad", "jit", "jit_class", "ms_class", "ms_function"]
