"""Ops that write the keys and values of new tokens into caches."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.primitive import Arithmetic, Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir.value import Spec
from minispore.ops.index.gather import check_index_range
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import check_dtype, check_optional_tensors, check_tensors
from minispore.ops.support.derive import _Composite

_CACHE_DTYPES = ("float16", "bfloat16", "int8", "uint8")


class _CacheUpdate(Primitive):
    """Base of ops that return ``cache`` with new rows or tokens written into it; no input gets a
    gradient.
    """

    arithmetic = Arithmetic.NONE
    reuse: ClassVar[tuple[int, ...]] = (0,)

    def infer(self, cache: Spec, updates: Spec, indices: Spec, *static: Any) -> Spec:
        """Return the spec of the cache."""
        return cache

    def kernel(
        self, cache: np.ndarray, updates: np.ndarray, indices: np.ndarray, *static: Any,
        out: np.ndarray,
    ) -> None:  # fmt: skip
        """Write the cache with the updates to ``out``, which may be the cache; if an index is out
        of range, raise a RuntimeError before anything is written.
        """
        self.write(cache, updates, indices, *static, only_check=True)  # before anything changes
        target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        if target is not cache:
            np.copyto(target, cache)
        self.write(target, updates, indices, *static)
        if target is not out:
            np.copyto(out, target)

    def write(
        self, cache: np.ndarray, updates: np.ndarray, indices: np.ndarray, *static: Any,
        only_check: bool = False,
    ) -> None:  # fmt: skip
        """Write ``updates`` into ``cache``; with ``only_check``, only check the ``indices``.

        Subclasses override it; here it raises a TypeError.

        Raises:
            RuntimeError: an index is out of range.
        """
        raise TypeError(f"{self.name}: writes nothing.")

    def vjp(self, *args: Any, out: Tensor, dout: Tensor) -> Cotangents:
        """Return None for each argument: cache updates have no gradient."""
        return (None,) * len(args)


class PutRows(_CacheUpdate):
    """``cache`` (blocks, length, ...) with ``rows`` (tokens, width) written to ``slots``.

    Slots are numbered across all blocks; rows with a negative slot are not written.

    >>> print(PutRows()(Tensor([[[1.0], [2.0]]]), Tensor([[7.0], [8.0]]), Tensor([1, -1])))
    [[[1.]
      [7.]]]
    """

    def write(
        self, cache: np.ndarray, updates: np.ndarray, indices: np.ndarray, *static: Any,
        only_check: bool = False,
    ) -> None:  # fmt: skip
        """Write ``updates`` at the slots ``indices``, or only check that no slot is past the end of
        the cache.

        Rows with a negative slot are skipped.
        """
        count = cache.shape[0] * cache.shape[1]
        is_written = indices >= 0
        check_index_range("ReshapeAndCache", indices[is_written], 0, count)
        if not only_check:
            cache.reshape(count, -1)[indices[is_written]] = updates[is_written]


class PutTokens(_CacheUpdate):
    """``cache`` (B, N, S, D) with ``tokens`` written along ``axis`` from the start index of each
    batch row on.

    >>> cache, tokens = Tensor([[[[1.0], [2.0]]]]), Tensor([[[[7.0]]]])
    >>> print(PutTokens()(cache, tokens, Tensor([1]), 2).asnumpy().ravel())
    [1. 7.]
    """

    def write(
        self, cache: np.ndarray, updates: np.ndarray, indices: np.ndarray, *static: Any,
        only_check: bool = False,
    ) -> None:  # fmt: skip
        """Write ``updates`` along the axis ``static[0]`` from each batch row's start index on, or
        only check that they fit.
        """
        (axis,) = static
        width = updates.shape[axis]
        check_index_range("KVCacheScatterUpdate", indices, 0, cache.shape[axis] - width + 1)
        if not only_check:
            for row, start, update in zip(cache, indices.tolist(), updates, strict=True):
                target = np.moveaxis(row, axis - 1, 0)
                target[start : start + width] = np.moveaxis(update, axis - 1, 0)


class PutRowsInPlace(PutRows):
    """:class:`PutRows` into a Parameter, in place."""

    reuse = ()
    mutates = (0,)


class PutTokensInPlace(PutTokens):
    """:class:`PutTokens` into a Parameter, in place."""

    reuse = ()
    mutates = (0,)


def _update_cache(
    cls: type[_CacheUpdate], in_place_cls: type[_CacheUpdate], cache: Tensor, *args: Any
) -> Tensor:
    """Update ``cache`` in place and return it.

    ``in_place_cls`` writes into a Parameter; for a Tensor, ``cls`` computes its new content.
    """
    if isinstance(cache, Parameter):
        return in_place_cls()(cache, *args)
    return cache._write_in_place(cls()(cache, *args))


class ReshapeAndCache(_Composite):
    """Writes the keys and values of tokens into caches of blocks.

    Token i is written to the slot ``slot_mapping[i]``. Slots are numbered across all blocks; a
    token with a negative slot is not written.

    Args:
        key: (tokens, N * D) or (B, S, N * D), of float16, bfloat16, int8 or uint8.
        value: the same for values, or None.
        key_cache: a Parameter or Tensor, (blocks, block_size, N, D), which is updated in place.
        value_cache: the same for values; None if ``value`` is None.
        slot_mapping: the slot of each token, (tokens,), int32 or int64.

    Returns:
        ``key``.

    Raises:
        TypeError: a Tensor is missing or has the wrong dtype.
        RuntimeError: the numbers of slots and tokens differ; the shapes do not fit; a slot is past
            the end of the cache. Nothing is written then.

    Source: Kwon et al., https://arxiv.org/abs/2309.06180

    >>> cache = Parameter(Tensor(np.zeros((2, 2, 1, 2), np.float16)), name="cache")
    >>> key = Tensor(np.ones((1, 2), np.float16))
    >>> made = ReshapeAndCache()(key, None, cache, None, Tensor([3]))
    >>> print(cache.asnumpy().reshape(4, 2)[3])
    [1. 1.]
    """

    def __call__(
        self,
        key: Tensor,
        value: Any = None,
        key_cache: Any = None,
        value_cache: Any = None,
        slot_mapping: Any = None,
    ) -> Tensor:
        """Write keys and values into both caches in place, and return ``key``; all inputs are
        checked before.

        Without ``value`` and ``value_cache``, only keys are written. Raises as the class says.
        """
        check_optional_tensors(self.name, value=value, value_cache=value_cache)
        check_tensors(self.name, key=key, key_cache=key_cache, slot_mapping=slot_mapping)
        if (value is None) != (value_cache is None):
            raise TypeError(f"{self.name}: value and value_cache must both be Tensors, or None.")
        check_dtype(self.name, slot_mapping, "slot_mapping", "int32", "int64")
        updates = [("key", key, key_cache)]
        if value is not None:
            updates.append(("value", value, value_cache))
        for name, x, cache in updates:
            self._check_tensors(name, x, cache, slot_mapping, key_cache)
        slots = Reshape()(slot_mapping, (-1,))
        for _, x, cache in updates:
            rows = Reshape()(x, (-1, x.shape[-1]))
            _update_cache(PutRows, PutRowsInPlace, cache, rows, slots)
        return key

    def _check_tensors(
        self, name: str, x: Tensor, cache: Tensor, slots: Tensor, key_cache: Tensor
    ) -> None:
        """Check new keys or values, their cache and the slots.

        Raises:
            TypeError: a dtype is wrong.
            RuntimeError: the shapes do not fit.
        """
        check_dtype(self.name, x, name, *_CACHE_DTYPES)
        check_dtype(self.name, cache, f"{name}_cache", x.dtype.name)
        tokens = prod(x.shape[:-1])
        for argument, rule, tensor, is_valid in (
            (name, "have 2 or 3 axes", x, x.ndim in (2, 3)),
            ("slot_mapping", f"be ({tokens},), a slot a token", slots, slots.shape == (tokens,)),
            (
                f"{name}_cache", f"be (blocks, block_size, N, D) with N * D = {x.shape[-1:]}",
                cache, cache.ndim > 2 and cache.shape[:2] == key_cache.shape[:2]
                and (prod(cache.shape[2:]),) == x.shape[-1:],
            ),
        ):  # fmt: skip
            if not is_valid:
                actual = f"shape {tensor.shape}"
                raise RuntimeError(checks.format_error(self.name, argument, rule, actual))


def reshape_and_cache(
    key: Tensor,
    value: Tensor | None = None,
    key_cache: Tensor | None = None,
    value_cache: Tensor | None = None,
    slot_mapping: Tensor | None = None,
) -> Tensor:
    """Write keys and values into caches in place, as :class:`ReshapeAndCache` does; return ``key``.

    >>> cache = Tensor(np.zeros((2, 2, 1, 2), np.float16))
    >>> key = Tensor(np.ones((1, 2), np.float16))
    >>> made = reshape_and_cache(key, key_cache=cache, slot_mapping=Tensor([0]))
    >>> print(cache.asnumpy().reshape(4, 2)[0])
    [1. 1.]
    """
    return ReshapeAndCache()(key, value, key_cache, value_cache, slot_mapping)


class KVCacheScatterUpdate(_Composite):
    """Writes tokens into a cache, starting at a separate index in each batch row.

    Args:
        var: the cache, a Parameter or Tensor (B, N, S, D), which is updated in place.
        indices: the start index in each row, (B,), int32 or int64.
        updates: (B, N, new, D) along axis -2, (B, N, S, new) along -1, of the dtype of ``var``.
        axis: -2 or -1, or 2 or 3, which mean the same.
        reduce: "none" or "update", which have the same effect.

    Returns:
        ``var``.

    Raises:
        TypeError: a Tensor is missing or has the wrong dtype.
        ValueError: ``axis`` or ``reduce`` is invalid; the shapes do not fit.
        RuntimeError: an index is past the end of the cache. Nothing is written then.

    >>> cache = Tensor(np.zeros((1, 1, 3, 2), np.float32))
    >>> update = KVCacheScatterUpdate()
    >>> print(update(cache, Tensor([1]), Tensor([[[[1.0, 2.0]]]]), -2).asnumpy()[0, 0])
    [[0. 0.]
     [1. 2.]
     [0. 0.]]
    """

    def __call__(
        self, var: Tensor, indices: Tensor, updates: Tensor, axis: Any, reduce: str = "none"
    ) -> Tensor:
        """Write ``updates`` into ``var`` in place, at ``indices`` along ``axis``, and return it;
        all inputs are checked before.
        """
        check_tensors(self.name, var=var)
        cache_axis = checks.one_of(
            self.name, "axis", checks.integer(self.name, "axis", axis), (-1, -2, 2, 3)
        )
        checks.one_of(
            self.name, "reduce", checks.string(self.name, "reduce", reduce), ("none", "update")
        )
        cache_axis %= 4
        check_dtype(self.name, indices, "indices", "int32", "int64")
        check_dtype(self.name, updates, "updates", var.dtype.name)
        expected = (
            *var.shape[:cache_axis],
            updates.shape[-1 if cache_axis == 3 else -2],
            *var.shape[cache_axis + 1 :],
        )
        for name, x, rule, is_valid in (
            ("var", var, "have 4 axes", var.ndim == 4),
            ("indices", indices, f"be {var.shape[:1]}", indices.shape == var.shape[:1]),
            ("updates", updates, f"be {expected}", updates.shape == expected),
        ):
            if not is_valid:
                raise ValueError(checks.format_error(self.name, name, rule, f"shape {x.shape}"))
        return _update_cache(PutTokens, PutTokensInPlace, var, updates, indices, cache_axis)


def kv_cache_scatter_update(
    var: Tensor, indices: Tensor, updates: Tensor, axis: int, reduce: str = "none"
) -> Tensor:
    """Write tokens into the cache ``var`` in place, as :class:`KVCacheScatterUpdate` does; return
    it.

    >>> cache, new = Tensor(np.zeros((1, 1, 2, 1), np.float32)), Tensor([[[[5.0]]]])
    >>> print(kv_cache_scatter_update(cache, Tensor([1]), new, -2).asnumpy().ravel())
    [0. 5.]
    """
    return KVCacheScatterUpdate()(var, indices, updates, axis, reduce)


__all__ = [
    "KVCacheScatterUpdate",
    "ReshapeAndCache",
    "kv_cache_scatter_update",
    "reshape_and_cache",
]

attach_docstrings("minispore.ops", __name__)
