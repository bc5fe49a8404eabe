"""Door: SciPy's names, at ``mindspore.scipy``."""

from minispore.scipy import linalg as linalg
