"""Alias module for ``mindspore.numpy``: functions of tensors with NumPy's names."""
# ruff: noqa: F403

from math import inf as inf
from math import nan as nan
from math import pi as pi

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ir.dtype import bool_ as bool_
from minispore.ir.dtype import float16 as float16
from minispore.ir.dtype import float32 as float32
from minispore.ir.dtype import float32 as float_  # noqa: F401
from minispore.ir.dtype import float64 as float64
from minispore.ir.dtype import int8 as int8
from minispore.ir.dtype import int16 as int16
from minispore.ir.dtype import int32 as int32
from minispore.ir.dtype import int32 as int_  # noqa: F401
from minispore.ir.dtype import int64 as int64
from minispore.ir.dtype import uint8 as uint8
from minispore.ir.dtype import uint16 as uint16
from minispore.ir.dtype import uint32 as uint32
from minispore.ir.dtype import uint64 as uint64
from minispore.numpy import fft as fft
from minispore.numpy import utils as utils
from minispore.numpy import utils_const as utils_const
from minispore.ops.mnp import *

_describe(__name__)
