"""Alias module for ``mindspore.scipy``: functions with SciPy's names."""

from minispore.scipy import fft as fft
from minispore.scipy import linalg as linalg
from minispore.scipy import optimize as optimize
