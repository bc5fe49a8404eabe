"""Alias module for ``mindspore.scipy.optimize``: minimization and assignment with SciPy's names."""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ops.scipy.assignment import linear_sum_assignment as linear_sum_assignment
from minispore.ops.scipy.minimize import *  # noqa: F403

_describe(__name__)
