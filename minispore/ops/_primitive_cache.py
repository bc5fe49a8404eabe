"""Alias module for MindSpore's cache of primitives; no cache is needed, as primitives are
cheap values.
"""

from minispore.ops.control.hyper_map import _get_cache_prim as _get_cache_prim
