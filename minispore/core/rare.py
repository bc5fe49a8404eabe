"""What few scripts ask for at ``common``: its rooms open at the first look at them."""

from __future__ import annotations

from minispore.later import later

_TYPES = dict.fromkeys(("TensorType", "get_py_obj_dtype", "tensor_type"), "minispore.core.types")
_SPARSE = {"SparseTensor": "minispore.ops.methods.old_sparse"}

look_common, names_common = later("minispore.common", _TYPES | _SPARSE)
look_dtype, names_dtype = later("minispore.common.dtype", _TYPES)
look_sparse, names_sparse = later("minispore.common.sparse_tensor", _SPARSE)

__all__ = [
    "look_common",
    "look_dtype",
    "look_sparse",
    "names_common",
    "names_dtype",
    "names_sparse",
]
