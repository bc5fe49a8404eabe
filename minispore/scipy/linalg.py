"""Alias module for ``mindspore.scipy.linalg``: linear algebra with SciPy's names."""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ops.scipy.linalg import *  # noqa: F403

_describe(__name__)
