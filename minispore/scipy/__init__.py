"""Alias module: SciPy's names, at ``mindspore.scipy``."""

from minispore.scipy import fft as fft
from minispore.scipy import linalg as linalg
from minispore.scipy import optimize as optimize
