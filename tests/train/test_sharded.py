"""Checkpoints of networks on many devices. Slices and errors are those of MindSpore 2.10."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
from minispore import Parameter, Tensor, nn, parallel
from minispore.train import node_strategy_pb2 as pb
from minispore.train.sharded.strategy import Slicing

W = np.arange(32, dtype=np.float32).reshape(8, 4)
V = 100 + W.reshape(4, 8)
B = np.arange(4, dtype=np.float32)
WHOLE = {"w": W, "v": V, "b": B, "step": np.array(7, np.int32)}


def layout(
    grid: tuple[int, ...], axes: tuple[int, ...], step: int = 0, size: int = 0, uneven: Any = ()
) -> pb.ParallelLayouts:
    return pb.ParallelLayouts(
        dev_matrix=[pb.DevMatrix(dim=list(grid))],
        tensor_map=[pb.TensorMap(dim=list(axes))],
        param_split_shape=[pb.ParamSplitShape(dim=list(uneven))],
        indices_offset=[pb.IndicesOffset()],
        field=0,
        opt_weight_shard_step=step,
        opt_weight_shard_size=size,
    )


STRATEGIES = {
    "rows": {"w": layout((4,), (0, -1)), "v": layout((4,), (-1, 0)), "b": layout((4,), (-1,))},
    "grid": {
        "w": layout((2, 2), (1, 0)), "v": layout((2, 2), (-1, -1)), "b": layout((2, 2), (0,)),
    },
    "shards": {
        "w": layout((2, 2), (0, -1), 2, 2), "v": layout((2, 2), (-1, -1), 1, 4),
        "b": layout((2, 2), (0,)),
    },
    "all_shards": {
        "w": layout((2, 2), (-1, 0), 2, -1), "v": layout((2, 2), (-1, -1), 1, -1),
        "b": layout((2, 2), (-1,)),
    },
}  # fmt: skip


def written(path: Path, layouts: dict[str, pb.ParallelLayouts], stage: int = 0) -> str:
    items = [pb.ParallelLayoutItem(param_name=n, parallel_layouts=s) for n, s in layouts.items()]
    nodes = [
        pb.ParallelStrategyItem(
            node_name=f"n{stage}", parallel_strategys=pb.ParallelStrategys(stage=stage)
        )
    ]
    parallel_strategy_map = pb.ParallelStrategyMap(
        current_stage=stage, parallel_strategy_item=nodes, parallel_layout_item=items
    )
    path.write_bytes(parallel_strategy_map.SerializeToString())
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Any]:
    outputs_by_name = {
        name: written(tmp_path / f"{name}.ckpt", s) for name, s in STRATEGIES.items()
    }
    return {**outputs_by_name, "whole": None}


def saved(folder: Path, ranks: dict[int, dict[str, np.ndarray]]) -> str:
    for rank, contents in ranks.items():
        (folder / f"rank_{rank}").mkdir(parents=True)
        items = [{"name": n, "data": Tensor(a)} for n, a in contents.items()]
        ms.save_checkpoint(items, str(folder / f"rank_{rank}" / "old.ckpt"))
    return str(folder)


def read(folder: Path) -> dict[int, dict[str, np.ndarray]]:
    options = {}
    for path in sorted(folder.glob("rank_*/*.ckpt")):
        rank = int(path.parent.name[5:])
        assert path.name == f"new{rank}.ckpt"
        options[rank] = {n: p.asnumpy() for n, p in ms.load_checkpoint(str(path)).items()}
    return options


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> None:
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], strict=True)


SLICES: dict[str, list[dict[str, np.ndarray]]] = {
    "whole": [WHOLE],
    "rows": [{**WHOLE, "w": W[2 * r : 2 * r + 2], "v": V[:, 2 * r : 2 * r + 2]} for r in range(4)],
    "grid": [
        {**WHOLE, "w": W[4 * i : 4 * i + 4, 2 * j : 2 * j + 2], "b": B[2 * j : 2 * j + 2]}
        for i, j in itertools.product(range(2), range(2))
    ],
    "shards": [
        {**WHOLE, "w": W[at : at + 2], "v": V[r : r + 1], "b": B[r % 2 * 2 :][:2]}
        for r, at in enumerate((0, 4, 2, 6))
    ],
    "all_shards": [
        {**WHOLE, "w": W[4 * (r // 2) :][:4, 2 * (r % 2) :][:, :2], "v": V[r : r + 1]}
        for r in range(4)
    ],
}


@pytest.mark.parametrize(("old", "new"), list(itertools.permutations(SLICES, 2)))
def test_slices_of_one_strategy_become_those_of_another(
    old: str, new: str, files: dict[str, Any], tmp_path: Path
) -> None:
    source = saved(tmp_path / "old", dict(enumerate(SLICES[old])))
    ms.transform_checkpoints(source, str(tmp_path / "new"), "new", files[old], files[new])
    text = read(tmp_path / "new")
    assert text.keys() == set(range(len(SLICES[new])))
    for rank, contents in text.items():
        same(contents, SLICES[new][rank])


@pytest.mark.parametrize("rank", range(4))
def test_the_ranks_that_are_named_are_enough(
    rank: int, files: dict[str, Any], tmp_path: Path
) -> None:
    saved(tmp_path, dict(enumerate(SLICES["rows"])))
    ranks = ms.rank_list_for_transform(rank, files["rows"], files["shards"])
    values_by_name = {r: str(tmp_path / f"rank_{r}" / "old.ckpt") for r in ranks}
    path = str(tmp_path / "new.ckpt")
    ms.transform_checkpoint_by_rank(rank, values_by_name, path, files["rows"], files["shards"])
    outputs_by_name = {n: p.asnumpy() for n, p in ms.load_checkpoint(path).items()}
    same(outputs_by_name, SLICES["shards"][rank])


def test_no_more_ranks_are_named_than_are_needed(files: dict[str, Any]) -> None:
    ranks = ms.rank_list_for_transform
    assert ranks(0, files["rows"], files["grid"]) == [3, 2, 1, 0]
    assert [ranks(r, files["grid"], files["rows"]) for r in (0, 3)] == [[1, 0], [3, 2]]
    assert [ranks(r, files["rows"], files["rows"]) for r in (0, 3)] == [[0], [3]]
    assert ranks(1, None, files["grid"]) == ranks(5) == [0]
    assert ranks(1, files["grid"]) == [3, 2, 1, 0]


def test_what_the_new_strategy_does_not_name_stays_that_of_the_rank(
    files: dict[str, Any], tmp_path: Path
) -> None:
    halves = written(tmp_path / "halves.ckpt", {"w": layout((2,), (0, -1))})
    old = saved(tmp_path / "old", dict(enumerate(SLICES["rows"])))
    ms.transform_checkpoints(old, str(tmp_path / "new"), "new", files["rows"], halves)
    for rank, contents in read(tmp_path / "new").items():
        same(contents, {**SLICES["rows"][rank], "w": W[4 * rank : 4 * rank + 4]})


class TestStagesOfAPipeline:
    @pytest.fixture
    def strategy(self, tmp_path: Path) -> str:
        folder = tmp_path / "stages"
        folder.mkdir()
        written(folder / "a.ckpt", {"w": layout((2,), (0, -1))}, 0)
        written(folder / "b.ckpt", {"v": layout((2,), (-1, 0))}, 1)
        ms.merge_pipeline_strategys(str(folder), str(tmp_path / "all.ckpt"))
        return str(tmp_path / "all.ckpt")

    def test_are_one_file_as_mindspore_writes_it(self, strategy: str) -> None:
        actual = ms.build_searched_strategy(strategy)
        assert actual is not None
        assert [*actual] == ["0-w", "1-v"]
        assert actual["1-v"] == layout((2,), (-1, 0))

    def test_each_store_only_their_parameters_after_a_transform(
        self, strategy: str, files: dict[str, Any], tmp_path: Path
    ) -> None:
        old = saved(tmp_path / "old", dict(enumerate(SLICES["rows"])))
        ms.transform_checkpoints(old, str(tmp_path / "new"), "new", files["rows"], strategy)
        rest = {"b": B, "step": WHOLE["step"]}
        cut = [{"w": W[:4]}, {"w": W[4:]}, {"v": V[:, :4]}, {"v": V[:, 4:]}]
        for rank, contents in read(tmp_path / "new").items():
            same(contents, {**cut[rank], **rest})

    def test_are_merged(self, strategy: str, tmp_path: Path) -> None:
        cut = [{"w": W[:4]}, {"w": W[4:]}, {"v": V[:, :4]}, {"v": V[:, 4:]}]
        old = saved(tmp_path / "old", dict(enumerate(cut)))
        ms.transform_checkpoints(old, str(tmp_path / "new"), "new", strategy)
        same(read(tmp_path / "new")[0], {"w": W, "v": V})


class Net(nn.Cell):
    def __init__(self, shape: tuple[int, ...] = (8, 4)) -> None:
        super().__init__()
        self.w = Parameter(Tensor(np.zeros(shape, np.float32)), name="w")


def test_a_network_loads_what_many_ranks_saved(files: dict[str, Any], tmp_path: Path) -> None:
    saved(tmp_path, dict(enumerate(SLICES["rows"])))
    paths = [str(tmp_path / f"rank_{r}" / "old.ckpt") for r in range(4)]
    net, half = Net(), Net((4, 2))
    assert ms.load_distributed_checkpoint(net, paths, train_strategy_filename=files["rows"])
    np.testing.assert_array_equal(net.w.asnumpy(), W)
    ms.set_auto_parallel_context(strategy_ckpt_load_file=files["rows"])
    ms.load_distributed_checkpoint(half, paths, files["grid"], rank_id=1)
    np.testing.assert_array_equal(half.w.asnumpy(), W[:4, 2:])
    other = nn.Dense(4, 8, has_bias=False)
    output = ms.load_distributed_checkpoint(
        other, paths, None, files["rows"], name_map={"w": "weight"}, return_param_dict=True
    )
    assert "weight" in output and "w" not in output
    np.testing.assert_array_equal(other.weight.asnumpy(), W)
    with pytest.raises(TypeError, match="name_map must be a dict"):
        ms.load_distributed_checkpoint(net, paths, None, files["rows"], name_map=["w"])


class TestMergedSlices:
    def test_are_cut_along_the_first_axis_without_a_strategy(self) -> None:
        output = ms.merge_sliced_parameter(
            [
                Parameter(Tensor(W[:3]), name="w", requires_grad=False, layerwise_parallel=True),
                Parameter(Tensor(W[3:]), name="w"),
            ]
        )
        assert (output.name, output.requires_grad, output.layerwise_parallel) == ("w", False, True)
        np.testing.assert_array_equal(output.asnumpy(), W)

    @pytest.mark.parametrize("strategy", STRATEGIES)
    @pytest.mark.parametrize("name", ["w", "v", "b"])
    def test_are_the_whole(self, name: str, strategy: str, files: dict[str, Any]) -> None:
        slices = [Parameter(Tensor(s[name]), name=name) for s in SLICES[strategy]]
        output = ms.merge_sliced_parameter(slices, ms.build_searched_strategy(files[strategy]))
        np.testing.assert_array_equal(output.asnumpy(), WHOLE[name])


def test_a_folder_of_checkpoints_is_read_as_one(tmp_path: Path) -> None:
    for name in ("a", "b"):
        ms.save_checkpoint([{"name": name, "data": Tensor(B)}], str(tmp_path / f"{name}.ckpt"))
    assert sorted(ms.load_segmented_checkpoints(str(tmp_path))) == ["a", "b"]


def test_the_ranks_of_a_group_are_read(tmp_path: Path) -> None:
    ranks = pb.ParallelGroupRanks(dim=[0, 2, 4])
    path = tmp_path / "group.pb"
    path.write_bytes(pb.ParallelGroupMap(ckpt_restore_rank_list=ranks).SerializeToString())
    assert ms.restore_group_info_list(str(path)) == [0, 2, 4]


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.data())
def test_the_pieces_of_all_ranks_are_the_whole(grid: list[int], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(grid))))
    axes = [a if data.draw(st.booleans()) else -1 for a in order]
    slicing = Slicing(tuple(grid), tuple(axes))
    pieces = {slicing.compute_piece(r) for r in slicing.ranks}
    parts = [n for _, n in slicing.compute_piece(0)]
    assert pieces == {
        tuple(zip(at, parts, strict=True)) for at in itertools.product(*map(range, parts))
    }


def test_the_doors_are_mindspores() -> None:
    assert parallel.transform_checkpoints is ms.transform_checkpoints
    assert parallel.merge_sliced_parameter is ms.merge_sliced_parameter


def bad_calls(files: dict[str, Any], folder: Path) -> list[tuple[Any, type[Exception], str]]:
    w = Parameter(Tensor(W), name="w")
    empty, broken = folder / "empty", folder / "broken"
    empty.touch()
    broken.write_bytes(b"\xff\xff\xff")
    rows, grid = files["rows"], files["grid"]
    thirds = written(folder / "thirds.ckpt", {"w": layout((3,), (0, -1))})
    uneven = written(folder / "uneven.ckpt", {"w": layout((2,), (0, -1), uneven=(3, 5))})
    strategy = ms.build_searched_strategy(rows)
    source = saved(folder / "bad", {0: WHOLE})
    first = saved(folder / "first", {0: SLICES["rows"][0]})  # all that the new rank 0 needs
    new = str(folder / "nowhere")
    merge, by_rank = ms.merge_sliced_parameter, ms.transform_checkpoint_by_rank
    return [
        (lambda: ms.build_searched_strategy(str(folder / "none")), ValueError, "existing"),
        (lambda: ms.build_searched_strategy(str(empty)), ValueError, "must not be empty"),
        (lambda: ms.build_searched_strategy(str(broken)), TypeError, "protobuf"),
        (lambda: ms.build_searched_strategy(3), TypeError, "must be a str"),
        (lambda: merge(w), TypeError, "must be a list"),
        (lambda: merge([]), ValueError, "slices of all ranks"),
        (lambda: merge([w], 3), TypeError, "strategy must be a dict"),
        (lambda: merge([Tensor(W)]), TypeError, "must be a Parameter"),
        (lambda: merge([w, Parameter(Tensor(W), name="z")]), ValueError, "must be alike"),
        (lambda: merge([Parameter(Tensor(W), name="z")], strategy), KeyError, "'z'"),
        (lambda: merge([w, w], strategy), ValueError, "each of the 4 ranks, got 2"),
        (lambda: ms.rank_list_for_transform("1", rows, grid), TypeError, "rank_id"),
        (lambda: ms.rank_list_for_transform(4, rows, grid), IndexError, "below the 4 devices"),
        (lambda: ms.rank_list_for_transform(0, uneven), ValueError, "equal parts"),
        (lambda: by_rank(0, {}, "x.ckpt", rows), ValueError, "checkpoint of rank 3"),
        (lambda: by_rank(0, [], "x.ckpt", rows), TypeError, "must be a dict"),
        (lambda: by_rank(0, {}, "x.bin", rows), ValueError, "end with .ckpt"),
        (lambda: by_rank(0, {0: "no"}, "x.ckpt", rows), ValueError, "must name files"),
        (lambda: ms.transform_checkpoints(source, new, "x"), ValueError, "must name parameters"),
        (lambda: ms.transform_checkpoints(new, new, "x", rows), ValueError, "folders rank_0"),
        (lambda: ms.transform_checkpoints(source, new, "x", rows), ValueError, "of rank 3"),
        (lambda: ms.transform_checkpoints(first, new, "x", rows, rows), ValueError, "of rank 3"),
        (lambda: ms.transform_checkpoints(source, new, 5, rows), TypeError, "ckpt_prefix"),
        (lambda: ms.transform_checkpoints(source, new, "x", None, thirds), RuntimeError, "of 8"),
        (
            lambda: ms.transform_checkpoints(source, new, "x", None, rows, 1, "safetensors"),
            ValueError,
            "output_format must be 'ckpt'",
        ),
        (lambda: ms.load_distributed_checkpoint(3), ValueError, "must be a Cell"),
        (
            lambda: ms.load_distributed_checkpoint(Net(), [], None, rows),
            ValueError,
            "one for each of the 4 ranks",
        ),
        (
            lambda: ms.load_distributed_checkpoint(Net(), unified_safetensors_dir=new),
            ValueError,
            "must be None",
        ),
        (lambda: ms.load_segmented_checkpoints(new), ValueError, "folder with .ckpt files"),
        (lambda: ms.merge_pipeline_strategys(new, new), NotADirectoryError, "must be a folder"),
        (lambda: ms.restore_group_info_list(str(empty)), ValueError, "must not be empty"),
    ]


def test_bad_arguments_raise_mindspores_error_types_and_write_nothing(
    files: dict[str, Any], tmp_path: Path
) -> None:
    for call, error, match in bad_calls(files, tmp_path):
        with pytest.raises(error, match=match):
            call()
    assert not (tmp_path / "nowhere").exists()
