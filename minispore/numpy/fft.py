"""Alias module for ``mindspore.numpy.fft``: Fourier transforms with NumPy's names."""
# ruff: noqa: F403

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ops.mnp.fourier import *

_describe(__name__)
