"""Alias module for ``mindspore.scipy.fft``: cosine transforms with SciPy's names."""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ops.scipy.fft import *  # noqa: F403

_describe(__name__)
