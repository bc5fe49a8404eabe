"""Alias module: Fourier transforms by NumPy's names, at ``mindspore.numpy.fft``."""
# ruff: noqa: F403

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ops.mnp.fourier import *

_describe(__name__)
