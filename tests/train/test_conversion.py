"""Checkpoints from one format into the other, and read beside the program."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minispore as ms
from minispore import nn


def saved(path: Path, **extra: int | str) -> dict[str, np.ndarray]:
    net = nn.Dense(2, 3)
    path.parent.mkdir(exist_ok=True)
    ms.save_checkpoint(net, str(path), append_dict=extra or None)
    return {p.name: p.asnumpy() for p in net.get_parameters()}


def test_a_checkpoint_goes_into_the_other_format_and_back(tmp_path: Path) -> None:
    expected = saved(tmp_path / "a.ckpt")
    ms.ckpt_to_safetensors(str(tmp_path / "a.ckpt"), str(tmp_path / "one"), {"weight": "w"})
    ms.safetensors_to_ckpt(str(tmp_path / "one" / "a.safetensors"), None, {"w": "weight"})
    got = ms.load_checkpoint(str(tmp_path / "one" / "a.ckpt"))
    assert got.keys() == expected.keys()
    for name in expected:
        np.testing.assert_array_equal(got[name].asnumpy(), expected[name])


def test_ckpt_to_safetensors_converts_the_files_of_all_ranks(tmp_path: Path) -> None:
    for name in ("rank_0/a", "rank_1/a", "rank_1/b"):
        saved(tmp_path / f"{name}.ckpt")
    ms.ckpt_to_safetensors(str(tmp_path), str(tmp_path / "new"), file_name_regex="^a")
    results = sorted(str(f.relative_to(tmp_path)) for f in (tmp_path / "new").rglob("*.*"))
    assert results == ["new/rank_0/a.safetensors", "new/rank_1/a.safetensors"]


def test_what_can_not_be_converted_is_refused(tmp_path: Path) -> None:
    saved(tmp_path / "a.ckpt", epoch=3, said="x")
    path = str(tmp_path / "a.ckpt")
    with pytest.raises(TypeError, match=r"got the texts \['said'\]"):
        ms.ckpt_to_safetensors(path)
    with pytest.raises(ValueError, match="a folder that exists"):
        ms.ckpt_to_safetensors(str(tmp_path / "none"))
    with pytest.raises(ValueError, match=r"must be a \.safetensors file"):
        ms.safetensors_to_ckpt(path)
    with pytest.raises(ValueError, match="save_path must be a folder"):
        ms.ckpt_to_safetensors(path, str(tmp_path / "x.safetensors"))
    with pytest.raises(ValueError, match="rank_0"):
        ms.ckpt_to_safetensors(str(tmp_path))


def test_load_checkpoint_async_loads_into_a_network(tmp_path: Path) -> None:
    expected = saved(tmp_path / "a.ckpt")
    net = nn.Dense(2, 3)
    got = ms.load_checkpoint_async(str(tmp_path / "a.ckpt"), net).result()
    assert got.keys() == expected.keys()
    np.testing.assert_array_equal(net.weight.asnumpy(), expected["weight"])
    with pytest.raises(ValueError, match="existing file"):
        ms.load_checkpoint_async(str(tmp_path / "none.ckpt")).result()
