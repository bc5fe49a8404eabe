"""Alias module: MindSpore's cache of primitives; ours are values, cheap to make."""

from minispore.ops.control.hyper_map import _get_cache_prim as _get_cache_prim
