"""Alias module: Fourier transforms by NumPy's names, at ``mindspore.numpy.fft``."""
# ruff: noqa: F403

from minispore.described import describe as _describe
from minispore.ops.mnp.fourier import *

_describe(__name__)
