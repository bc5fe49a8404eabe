"""A program of several ranks: random collectives, each against what NumPy makes of all inputs.

Every rank draws the inputs of all ranks from the same stream, so it knows what must come out.
Arguments: how many collectives. Prints how many were right.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np

import minispore as ms
from minispore import Tensor, ops
from minispore.communication import create_group, get_group_size, get_rank, init
from minispore.ops.control.bucket import AllReduceBegin, AllReduceEnd

WORLD = "hccl_world_group"
REDUCE = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}
DTYPES = ["float32", "float64", "float16", "int32", "int64", "uint8", "int8", "complex64"]
KINDS = [
    "AllReduce", "ReduceScatter", "AllGather", "Broadcast", "AlltoAll", "Reduce",
    "CollectiveGather", "CollectiveScatter", "bucket", "gradient", "send", "Barrier",
]  # fmt: skip


def random_integers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Small whole numbers: their sums and products are exact in any order."""
    return rng.integers(0, 4, shape).astype(dtype)


def main(count: int, deterministic: bool) -> None:
    """Run ``count`` collectives."""
    init()
    ms.set_context(deterministic="ON" if deterministic else "OFF")
    rank, size = get_rank(), get_group_size()
    groups = {WORLD: tuple(range(size))}
    if size > 2:
        groups |= {"outer": (size - 1, 0), "first": (0, 1)}
    for name, members in groups.items():
        if name != WORLD and rank in members:
            create_group(name, members)
    rng = np.random.default_rng(7)
    right = 0
    for _ in range(count):
        kind, group = str(rng.choice(KINDS)), str(rng.choice(list(groups)))
        members = groups[group]
        n, how = len(members), str(rng.choice(list(REDUCE)))
        dtype, root = str(rng.choice(DTYPES)), int(rng.integers(n))
        if dtype == "complex64" and how in ("max", "min"):
            how = "sum"
        rows = int(rng.choice([1, 3, 40_000 if rng.random() < 0.3 else 5]))
        if kind == "bucket":
            rows = 5_000  # more than a transport takes at once
        inputs = [random_integers(rng, (n * rows, 2), dtype) for _ in members]
        if rank in members:
            right += ran(kind, group, members, how, root, inputs, rank)
        gc.collect(0)
    print(f"rank {rank}: {right} right", flush=True)


def ran(
    kind: str,
    group: str,
    members: tuple[int, ...],
    how: str,
    root: int,
    inputs: list[np.ndarray],
    rank: int,
) -> int:
    """Run one; 1 if every element is right."""
    position, n = members.index(rank), len(members)
    x = Tensor(inputs[position])
    total = REDUCE[how].reduce(np.stack(inputs), axis=0, dtype=inputs[0].dtype)
    rows = len(inputs[0]) // n
    mine = slice(position * rows, position * rows + rows)
    got: Any
    if kind == "AllReduce":
        got, expected = ops.AllReduce(how, group)(x), total
    elif kind == "ReduceScatter":
        got, expected = ops.ReduceScatter(how, group)(x), total[mine]
    elif kind == "AllGather":
        got, expected = ops.AllGather(group)(x), np.concatenate(inputs)
    elif kind == "Broadcast":
        (got,) = ops.Broadcast(root, group)((x,))
        expected = inputs[root]
    elif kind == "AlltoAll":
        got = ops.AlltoAll(n, 0, 0, group)(x)
        expected = np.concatenate([part[mine] for part in inputs])
    elif kind == "Reduce":
        got = ops.Reduce(root, how, group)(x)
        expected = total if position == root else inputs[position]
    elif kind == "CollectiveGather":
        got = ops.CollectiveGather(root, group)(x)
        expected = np.concatenate(inputs) if position == root else inputs[position]
    elif kind == "CollectiveScatter":
        got, expected = ops.CollectiveScatter(root, group)(x), inputs[root][mine]
    elif kind == "bucket":
        floats = [i.real.astype(np.float32) for i in inputs]
        ticket = AllReduceBegin("float32", group)(
            tuple(Tensor(floats[position] + i) for i in range(3))
        )
        busy = [np.full_like(floats[0], 9.0) for _ in range(8)]  # what a backward takes meanwhile
        like = (("float32", floats[0].shape),) * 3
        got = AllReduceEnd(like, 2.0)(ticket)[2]
        expected = (np.sum(floats, axis=0, dtype=np.float32) + 2 * n) * 2 + 0 * busy[0]
    elif kind == "gradient":
        floats = [i.real.astype(np.float32) for i in inputs]
        scale = Tensor(np.float32(position + 1))
        got = ms.grad(lambda t: (ops.AllReduce("sum", group)(t) * scale).sum())(
            Tensor(floats[position])
        )
        expected = np.full_like(floats[0], n * (n + 1) / 2)
    elif kind == "send":
        if position == 0:
            ops.Send(3, n - 1, group)(x)
        elif position == n - 1:
            like = (list(x.shape), x.dtype)
            got = ops.Receive(3, 0, *like, group)()
            return int(np.array_equal(got.asnumpy(), inputs[0]))
        return 1
    else:
        ops.Barrier(group)()
        return 1
    if np.array_equal(got.asnumpy(), expected) and got.asnumpy().dtype == expected.dtype:
        return 1
    print(f"rank {rank}: {kind} {how} {group} {inputs[0].dtype} {inputs[0].shape} is wrong")
    return 0


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] == ["ordered"])
