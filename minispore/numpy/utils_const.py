"""Alias module for ``mindspore.numpy.utils_const``: functions that raise errors."""

from minispore.ops.mnp.scripts import _raise_type_error as _raise_type_error
from minispore.ops.mnp.scripts import _raise_unimplemented_error as _raise_unimplemented_error
from minispore.ops.mnp.scripts import _raise_value_error as _raise_value_error
