"""Functions with NumPy's names and conventions: the implementation of ``mindspore.numpy``."""
# ruff: noqa: F403  each file says in its __all__ what is public

from minispore.ops.mnp.borders import *
from minispore.ops.mnp.choices import *
from minispore.ops.mnp.creation import *
from minispore.ops.mnp.differences import *
from minispore.ops.mnp.histograms import *
from minispore.ops.mnp.maths import *
from minispore.ops.mnp.polynomials import *
from minispore.ops.mnp.questions import *
from minispore.ops.mnp.shapes import *
from minispore.ops.mnp.sums import *
from minispore.ops.mnp.windows import *
