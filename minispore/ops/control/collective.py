"""Collectives as ops: reduce, gather and exchange tensors among the ranks of a group."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Effect, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.compare import Equal
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import ZerosLike
from minispore.ops.support import transport
from minispore.ops.support.arguments import check_axis, check_tensor_spec

WORLD = "hccl_world_group"


class ReduceOp:
    """The reduction that combines the values of several ranks.

    >>> ReduceOp.SUM
    'sum'
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


class _Collective(Primitive):
    """Base of ops in which every rank of ``group`` participates."""

    effect = Effect.EXTERNAL

    def check_group(self, group: Any) -> None:
        """Check that ``group`` is a str; whether such a group exists is not checked.

        Raises:
            TypeError: it is not a str.
        """
        if not isinstance(group, str):
            raise TypeError(
                f"{self.name}: group must be a str, got {group!r} ({type(group).__name__})."
            )

    def check_op(self, op: Any) -> None:
        """Check that ``op`` is a reduction: sum, max, min or prod.

        Raises:
            TypeError: it is not a str.
            ValueError: it is not one of these.
        """
        allowed = (ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD)
        if not isinstance(op, str):
            raise TypeError(f"{self.name}: op must be a str, got {op!r} ({type(op).__name__}).")
        if op not in allowed:
            raise ValueError(f"{self.name}: op must be one of {', '.join(allowed)}, got {op!r}.")

    def check_rank(self, rank: Any, name: str) -> None:
        """Check that ``rank``, the attribute ``name``, is an int and not negative."""
        checks.integer(self.name, name, rank, 0)

    def infer_part(self, x: Spec, group: str) -> Spec:
        """Return the spec of one rank's part of ``x`` along axis 0.

        Raises ValueError unless the number of ranks divides its length.
        """
        n = transport.current.size(group)
        if check_tensor_spec(self.name, x).ndim < 1 or x.shape[0] % n:
            raise ValueError(
                f"{self.name}: axis 0 of the input must be divisible by the {n} ranks, got {x}."
            )
        return Spec((x.shape[0] // n, *x.shape[1:]), x.dtype)


class AllReduce(_Collective):
    """The sum (max, min, prod) of the tensors of all ranks, on every rank.

    >>> print(AllReduce()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    op: str = ReduceOp.SUM
    group: str = WORLD

    def check(self) -> None:
        self.check_op(self.op)
        self.check_group(self.group)

    def infer(self, x: Spec) -> Spec:
        if check_tensor_spec(self.name, x).dtype.kind == "b":
            raise TypeError(f"{self.name}: input must hold numbers, got {x}.")
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, transport.current.all_reduce(x, self.op, self.group))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function; each rank's gradient is again a sum over all ranks."""

        def compute_dx() -> Tensor:
            """Sum all ranks' gradients; times out / x for "prod", and 0 where x is not the output
            for "max" and "min".
            """
            total = AllReduce(ReduceOp.SUM, self.group)(dout)
            if self.op == ReduceOp.SUM:
                return total
            if self.op == ReduceOp.PROD:
                return total * out / x
            return Select()(Equal()(x, out), total, 0)

        return (compute_dx,)


class AllGather(_Collective):
    """The concatenation of all ranks' tensors along axis 0, on every rank.

    >>> print(AllGather()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    group: str = WORLD

    def check(self) -> None:
        self.check_group(self.group)

    def infer(self, x: Spec) -> Spec:
        if check_tensor_spec(self.name, x).ndim < 1:
            raise ValueError(f"{self.name}: input must have at least 1 axis, got {x}.")
        return Spec((x.shape[0] * transport.current.size(self.group), *x.shape[1:]), x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.concatenate(transport.current.all_gather(x, self.group), out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: ReduceScatter(ReduceOp.SUM, self.group)(dout),)


class ReduceScatter(_Collective):
    """The sum (max, min, prod) of all ranks' tensors; each rank keeps its part along axis 0.

    >>> print(ReduceScatter()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    op: str = ReduceOp.SUM
    group: str = WORLD

    def check(self) -> None:
        self.check_op(self.op)
        self.check_group(self.group)

    def infer(self, x: Spec) -> Spec:
        return self.infer_part(x, self.group)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, transport.current.reduce_scatter(x, self.op, self.group))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return a function that gathers all ranks' gradients; raise RuntimeError unless ``op`` is
        "sum".
        """
        if self.op != ReduceOp.SUM:
            raise RuntimeError(f"{self.name}: only op 'sum' has a gradient, got {self.op!r}.")
        return (lambda: AllGather(self.group)(dout),)


class Broadcast(_Collective):
    """The tensors of rank ``root_rank``, on every rank.

    >>> print(Broadcast(0)((Tensor([1.0]),))[0])
    [1.]
    """

    root_rank: int
    group: str = WORLD
    variadic = True
    vjp_rule = VjpRule(takes_tuples=True)

    def check(self) -> None:
        self.check_rank(self.root_rank, "root_rank")
        self.check_group(self.group)

    def infer(self, *xs: Spec) -> tuple[Spec, ...]:
        return tuple(check_tensor_spec(self.name, x, f"input_x[{i}]") for i, x in enumerate(xs))

    def kernel(self, *xs: np.ndarray, out: tuple[np.ndarray, ...]) -> None:
        for x, o in zip(xs, out, strict=True):
            np.copyto(o, transport.current.broadcast(x, self.root_rank, self.group))

    def vjp(self, *xs: Tensor, out: Any, dout: Any) -> Cotangents:
        """Return one gradient function per tensor: the root gets the sum of all ranks' gradients,
        others 0.
        """
        is_root = transport.current.rank(self.group) == self.root_rank

        def pull_back_to_root(d: Tensor) -> Tensor:
            """Sum the gradients of all ranks; every rank participates, but only the root keeps the
            sum.
            """
            total = AllReduce(ReduceOp.SUM, self.group)(d)
            return total if is_root else ZerosLike()(total)

        return tuple(lambda d=d: pull_back_to_root(d) for d in dout)


class AlltoAll(_Collective):
    """Splits the input along ``split_dim``, sends part i to rank i, and joins the received parts
    along ``concat_dim``.

    >>> print(AlltoAll(1, 0, 0)(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    split_count: int
    split_dim: int
    concat_dim: int
    group: str = WORLD

    def check(self) -> None:
        checks.integer(self.name, "split_count", self.split_count, 1)
        checks.integer(self.name, "split_dim", self.split_dim)
        checks.integer(self.name, "concat_dim", self.concat_dim)
        self.check_group(self.group)

    def infer(self, x: Spec) -> Spec:
        """Return the spec with ``split_dim`` divided, and ``concat_dim`` multiplied, by the number
        of ranks.

        Raises ValueError unless ``split_count`` is the number of ranks and divides ``split_dim``.
        """
        n = transport.current.size(self.group)
        if self.split_count != n:
            raise ValueError(
                f"{self.name}: split_count must be the {n} ranks of {self.group!r}, got "
                f"{self.split_count}."
            )
        split_axis = check_axis(
            self.name, self.split_dim, check_tensor_spec(self.name, x).ndim, "split_dim"
        )
        concat_axis = check_axis(self.name, self.concat_dim, x.ndim, "concat_dim")
        if x.shape[split_axis] % n:
            raise ValueError(
                f"{self.name}: axis {split_axis} must be divisible by split_count = {n}, got {x}."
            )
        shape = list(x.shape)
        shape[split_axis] //= n
        shape[concat_axis] *= n
        return Spec(tuple(shape), x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        chunks = np.split(x, self.split_count, self.split_dim)
        np.concatenate(transport.current.all_to_all(chunks, self.group), self.concat_dim, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        inverse = AlltoAll(self.split_count, self.concat_dim, self.split_dim, self.group)
        return (lambda: inverse(dout),)


class Reduce(_Collective):
    """The sum (max, min, prod) of all ranks' tensors on rank ``dest_rank``; the input on other
    ranks.

    >>> print(Reduce(0)(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    dest_rank: int
    op: str = ReduceOp.SUM
    group: str = WORLD

    def check(self) -> None:
        self.check_rank(self.dest_rank, "dest_rank")
        self.check_op(self.op)
        self.check_group(self.group)

    def infer(self, x: Spec) -> Spec:
        return check_tensor_spec(self.name, x)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write the reduction on ``dest_rank``, and a copy of ``x`` on other ranks."""
        result = transport.current.reduce(x, self.op, self.dest_rank, self.group)
        np.copyto(out, x if result is None else result)


class CollectiveGather(_Collective):
    """All ranks' tensors concatenated along axis 0 on rank ``dest_rank``; the input on other ranks.

    >>> print(CollectiveGather(0)(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    dest_rank: int
    group: str = WORLD

    def check(self) -> None:
        self.check_rank(self.dest_rank, "dest_rank")
        self.check_group(self.group)

    def _is_destination(self) -> bool:
        """Whether this rank receives the gathered tensors."""
        return transport.current.rank(self.group) == self.dest_rank

    def infer(self, x: Spec) -> Spec:
        """Return the spec with axis 0 times the number of ranks on ``dest_rank``; elsewhere that of
        ``x``.
        """
        if check_tensor_spec(self.name, x).ndim < 1:
            raise ValueError(f"{self.name}: input must have at least 1 axis, got {x}.")
        n = transport.current.size(self.group) if self._is_destination() else 1
        return Spec((x.shape[0] * n, *x.shape[1:]), x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write all ranks' tensors on ``dest_rank``, and a copy of ``x`` on other ranks."""
        tensors = transport.current.gather(x, self.dest_rank, self.group)
        np.concatenate([x] if tensors is None else tensors, out=out)


class CollectiveScatter(_Collective):
    """This rank's part of the tensor of rank ``src_rank``, split along axis 0 among the ranks.

    >>> print(CollectiveScatter(0)(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    src_rank: int = 0
    group: str = WORLD

    def check(self) -> None:
        self.check_rank(self.src_rank, "src_rank")
        self.check_group(self.group)

    def infer(self, x: Spec) -> Spec:
        return self.infer_part(x, self.group)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, transport.current.scatter(x, self.src_rank, self.group))


class Send(_Collective):
    """Sends the input to rank ``dest_rank``, which must receive it with the same tag."""

    sr_tag: int
    dest_rank: int
    group: str = WORLD
    group_back: str = WORLD

    def check(self) -> None:
        checks.integer(self.name, "sr_tag", self.sr_tag)
        self.check_rank(self.dest_rank, "dest_rank")
        self.check_group(self.group)

    def infer(self, x: Spec) -> Spec:
        return check_tensor_spec(self.name, x)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Send ``x``, and copy it to the output."""
        transport.current.send(x, self.dest_rank, self.sr_tag, self.group)
        np.copyto(out, x)


class Receive(_Collective):
    """The tensor of ``shape`` and ``dtype`` that rank ``src_rank`` sent with the same tag."""

    sr_tag: int
    src_rank: int
    shape: Any
    dtype: Any
    group: str = WORLD
    group_back: str = WORLD

    def check(self) -> None:
        checks.integer(self.name, "sr_tag", self.sr_tag)
        self.check_rank(self.src_rank, "src_rank")
        self.check_group(self.group)

    def infer(self, x: Any = None) -> Spec:
        """Return the spec of the declared shape and dtype; ``x`` is ignored."""
        return Spec(tuple(self.shape), mstype.to_numpy(self.dtype))

    def kernel(self, x: Any = None, *, out: np.ndarray) -> None:
        like = Spec(out.shape, out.dtype)
        np.copyto(out, transport.current.receive(like, self.src_rank, self.sr_tag, self.group))


class Barrier(_Collective):
    """Waits until every rank of the group has reached it."""

    group: str = WORLD

    def check(self) -> None:
        self.check_group(self.group)

    def infer(self) -> Spec:
        """Return the spec of the output, a 0-d int32."""
        return Spec((), np.dtype(np.int32))

    def kernel(self, *, out: np.ndarray) -> None:
        """Wait for all ranks of the group; the output is a 0."""
        transport.current.barrier(self.group)
        out.fill(0)


__all__ = [
    "AllGather",
    "AllReduce",
    "AlltoAll",
    "Barrier",
    "Broadcast",
    "CollectiveGather",
    "CollectiveScatter",
    "Receive",
    "Reduce",
    "ReduceOp",
    "ReduceScatter",
    "Send",
]
