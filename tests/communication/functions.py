"""A program of several ranks: each function of comm_func and of mint.distributed, against numbers
that every rank derives by itself. Prints what was not right, and ``all right`` at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import Tensor, grad, mint
from minispore.communication import comm_func

D: Any = mint.distributed


def of(rank: int, rows: int = 2) -> np.ndarray:
    return np.arange(rows * 3, dtype=np.float32).reshape(rows, 3) + 10 * rank


def full(rows: int = 2) -> Tensor:
    return Tensor(np.full((rows, 3), -1, np.float32))


def main() -> None:
    D.init_process_group()
    rank, n = D.get_rank(), D.get_world_size()
    everyone = [of(r) for r in range(n)]
    total, after, before = sum(everyone), (rank + 1) % n, (rank - 1) % n
    wide = [of(r, n) for r in range(n)]  # one row for each rank
    wrong: list[str] = []

    def same(name: str, got: Any, expected: Any) -> None:
        outputs = [g.asnumpy() if isinstance(g, Tensor) else g for g in got]
        if len(outputs) != len(expected) or not all(map(np.array_equal, outputs, expected)):
            wrong.append(f"{name}: {outputs} is not {expected}")

    # -- comm_func: a new tensor each
    x = Tensor(of(rank))
    same("all_reduce", [comm_func.all_reduce(x)[0]], [total])
    same("all_gather", [comm_func.all_gather_into_tensor(x)[0]], [np.concatenate(everyone)])
    part, handle = comm_func.reduce_scatter_tensor(Tensor(wide[rank]), "max", async_op=True)
    handle.wait()
    same("reduce_scatter", [part], [wide[n - 1][rank : rank + 1]])
    same("reduce", [comm_func.reduce(x, 1)], [total if rank == 1 else of(rank)])
    same("broadcast", [comm_func.broadcast(x, 1)], [of(1)])
    gathered = comm_func.gather_into_tensor(x, 1)
    same("gather", [gathered], [np.concatenate(everyone) if rank == 1 else of(rank)])
    same("scatter", [comm_func.scatter_tensor(Tensor(wide[rank]), 1)], [wide[1][rank : rank + 1]])
    comm_func.barrier()
    # rank i sends i + j rows to rank j
    pieces = [Tensor(of(rank * n + j, rank + j)) for j in range(n)]
    shapes = [(j + rank, 3) for j in range(n)]
    expected_output = [of(j * n + rank, j + rank) for j in range(n)]
    same("all_to_all", comm_func.all_to_all_with_output_shape(shapes, pieces)[0], expected_output)
    send, come = [rank + j for j in range(n)], [j + rank for j in range(n)]
    rows = Tensor(np.concatenate([p.asnumpy() for p in pieces]))
    shape = (sum(come), 3)
    single = comm_func.all_to_all_single_with_output_shape(shape, rows, come, send)[0]
    same("all_to_all_single", [single], [np.concatenate(expected_output)])
    slope = grad(
        lambda t: comm_func.all_to_all_single_with_output_shape(shape, t, come, send)[0].sum()
    )(rows)
    same("its gradient", [slope], [np.ones(rows.shape, np.float32)])
    counts = [3 * (i + j) for i in range(n) for j in range(n)]
    flat = Tensor(np.zeros(sum(come) * 3, np.float32))
    comm_func.all_to_all_v_c(flat, rows, counts)
    same("all_to_all_v_c", [flat], [np.concatenate(expected_output).reshape(-1)])
    big = np.full(300_000, rank, np.float32)  # more than a socket takes at once
    sent = comm_func.isend(Tensor(big), after)
    came, handle = comm_func.irecv(Tensor(big), before)
    handle.wait()
    sent.wait()
    same("irecv", [came[:2]], [[before, before]])
    ring = [comm_func.P2POp("isend", x, after), comm_func.P2POp(comm_func.irecv, x, before)]
    same("batch", comm_func.batch_isend_irecv(ring)[1:], [of(before)])
    if rank == 0:
        comm_func.send(x, 1, tag=4)
    elif rank == 1:
        same("recv", [comm_func.recv(x, 0, tag=4)], [of(0)])

    # -- mint.distributed: into the tensors that are given
    for op, want in (("sum", total), ("avg", total / n), ("max", of(n - 1))):
        x = Tensor(of(rank))
        D.all_reduce(x, op)
        same(f"mint all_reduce {op}", [x], [want])
        D.reduce(x := Tensor(of(rank)), 1, op)
        same(f"mint reduce {op}", [x], [want if rank == 1 else of(rank)])
    D.broadcast(x := Tensor(of(rank)), 1)
    same("mint broadcast", [x], [of(1)])
    into = [full() for _ in range(n)]
    D.all_gather(into, Tensor(of(rank)), async_op=True).wait()
    same("mint all_gather", into, everyone)
    D.all_gather_into_tensor(x := full(2 * n), Tensor(of(rank)))
    same("mint all_gather_into_tensor", [x], [np.concatenate(everyone)])
    sizes = [r + 1 for r in range(n)]
    D.all_gather_into_tensor_uneven(x := full(sum(sizes)), Tensor(of(rank, rank + 1)), sizes)
    same("mint uneven", [x], [np.concatenate([of(r, r + 1) for r in range(n)])])
    D.reduce_scatter(x := full(), [Tensor(of(rank) + j) for j in range(n)])
    same("mint reduce_scatter", [x], [total + n * rank])
    D.reduce_scatter_tensor(x := full(1), Tensor(wide[rank]))
    same("mint reduce_scatter_tensor", [x], [sum(wide)[rank : rank + 1]])
    D.reduce_scatter_tensor_uneven(x := full(rank + 1), Tensor(of(rank, sum(sizes))), sizes)
    ends = np.cumsum(sizes)
    same(
        "mint uneven sum",
        [x],
        [sum(of(r, sum(sizes)) for r in range(n))[ends[rank] - rank - 1 : ends[rank]]],
    )
    D.gather(Tensor(of(rank)), into := [full() for _ in range(n)], 1)
    same("mint gather", into, everyone if rank == 1 else [full().asnumpy()] * n)
    D.scatter(x := full(), [Tensor(of(rank) + j) for j in range(n)], 1)
    same("mint scatter", [x], [of(1) + rank])
    outs = [Tensor(np.zeros(s, np.float32)) for s in shapes]
    D.all_to_all(outs, pieces)
    same("mint all_to_all", outs, expected_output)
    D.all_to_all_single(x := full(n), Tensor(wide[rank]))
    same("mint all_to_all_single", [x], [np.stack([wide[r][rank] for r in range(n)])])
    D.batch_isend_irecv(
        [D.P2POp(D.isend, Tensor(of(rank)), after), D.P2POp(D.irecv, x := full(), before)]
    )[0].wait()
    same("mint batch", [x], [of(before)])
    if rank == 0:
        D.send(Tensor(of(0)), 1)
        D.send_object_list(["a", {"b": 2}], 1)
    elif rank == 1:
        same("mint recv", [D.recv(x := full(), 0), x], [0, of(0)])
        D.recv_object_list(things := [None, None], 0)
        same("objects", things, ["a", {"b": 2}])
    things = [None] * n
    D.all_gather_object(things, {"rank": rank, "text": "x" * rank})
    same("all objects", things, [{"rank": r, "text": "x" * r} for r in range(n)])
    D.gather_object(rank, mine := [None] * n, 1)
    same("gathered objects", mine, list(range(n)) if rank == 1 else [None] * n)
    D.broadcast_object_list(things := [rank, "of", rank], 1)
    same("broadcast objects", things, [1, "of", 1])
    D.scatter_object_list(mine := [None], [f"for {r}" for r in range(n)] if rank == 1 else None, 1)
    same("scattered objects", mine, [f"for {rank}"])
    D.barrier()

    # -- groups: ranks are those of the world
    outer = D.new_group([n - 1, 0])
    if rank in (0, n - 1):
        same("ranks", [D.get_process_group_ranks(outer), D.get_world_size(outer)], [[0, n - 1], 2])
        same("places", [D.get_group_rank(outer, n - 1), D.get_global_rank(outer, 1)], [1, n - 1])
        D.broadcast(x := Tensor(of(rank)), n - 1, outer)
        same("in a group", [x], [of(n - 1)])
        D.all_reduce(x := Tensor(of(rank)), group=outer)
        same("of a group", [x], [of(0) + of(n - 1)])
    D.destroy_process_group()
    print("\n".join(wrong) or "all right", flush=True)


if __name__ == "__main__":
    main()
