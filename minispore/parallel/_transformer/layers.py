"""Alias module: the same, at ``mindspore.parallel._transformer.layers``."""
# ruff: noqa: F403

from minispore.nn.transformer.layers import *
from minispore.nn.transformer.layers import _args_type_validator_check as _args_type_validator_check
from minispore.nn.transformer.layers import _check_input_dtype as _check_input_dtype
from minispore.nn.transformer.layers import _check_input_shape as _check_input_shape
from minispore.nn.transformer.layers import _check_input_shape_value as _check_input_shape_value
from minispore.nn.transformer.layers import (
    _check_past_none_input_none as _check_past_none_input_none,
)
from minispore.nn.transformer.layers import _check_shape_equal as _check_shape_equal
from minispore.nn.transformer.layers import (
    _check_shape_equal_without_batch as _check_shape_equal_without_batch,
)
from minispore.nn.transformer.layers import _LayerInputCheck as _LayerInputCheck
from minispore.nn.transformer.layers import _LayerNorm as _LayerNorm
from minispore.nn.transformer.layers import _Linear as _Linear
from minispore.nn.transformer.layers import _valid_type_checks as _valid_type_checks
from minispore.nn.transformer.layers import _valid_value_checks as _valid_value_checks
