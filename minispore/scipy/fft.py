"""Alias module: cosine transforms by SciPy's names, at ``mindspore.scipy.fft``."""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ops.scipy.fft import *  # noqa: F403

_describe(__name__)
