"""Alias module: matrices by SciPy's names, at ``mindspore.scipy.linalg``."""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ops.scipy.linalg import *  # noqa: F403

_describe(__name__)
