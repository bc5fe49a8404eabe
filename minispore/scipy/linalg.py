"""Door: matrices by SciPy's names, at ``mindspore.scipy.linalg``."""

from minispore.ops.scipy.linalg import *  # noqa: F403
