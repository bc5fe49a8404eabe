"""Encrypted checkpoints. The files below are of MindSpore 2.10: ``w``, the floats from 0 to 5, with
the key 0, 1, 2, ... of 16 bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn

pytest.importorskip("cryptography", reason="the extra crypto is not there")

KEY = bytes(range(16))
FILES = {
    "AES-GCM": (
        "d85e3a7f728eedecbd8bd2e240536fdfb95c3fef44000000100000006c8549ec96d72f0911c7545d"
        "93a4834a2c000000a4e563516df4156518e2a7d289095d7a3dd732756e6781442a93da8da7017cb6"
        "e6843307926bba85722756f1"
    ),
    "AES-CBC": (
        "d95e3a7f480000001000000033feb8c8755a90195199cd40baed21523000000056ecfe665b5889db"
        "5ebedf13f2472e63d3cb6d2b591f3e34fd87b07425ac65a5f31f30ef7c11bb9e57d196e6324e26c6"
    ),
    "SM4-CBC": (
        "da5e3a7f4800000010000000d6cd75621d23a45f56156aabc360669f300000005508f65e49a12134"
        "3a93e8a80ec8751939aaf117520f42836075ac830ec8c166e9887444099776506761399eee37054e"
    ),
}
NUMBERS = [0, 1, 2, 3, 4, 5]


def saved(folder: Path, mode: str) -> str:
    path = folder / f"{mode}.ckpt"
    path.write_bytes(bytes.fromhex(FILES[mode]))
    return str(path)


@pytest.mark.parametrize("mode", FILES)
def test_a_file_that_mindspore_has_encrypted_opens_with_its_key(tmp_path: Path, mode: str) -> None:
    loaded = ms.load_checkpoint(saved(tmp_path, mode), dec_key=KEY, dec_mode=mode)
    assert loaded["w"].asnumpy().tolist() == NUMBERS


@pytest.mark.parametrize("mode", FILES)
@pytest.mark.parametrize("length", [16, 24, 32])
def test_an_encrypted_checkpoint_loads_with_its_key(tmp_path: Path, mode: str, length: int) -> None:
    path, key = str(tmp_path / "a.ckpt"), bytes(range(length))
    weights = [{"name": "w", "data": Tensor(np.arange(7.0))}]
    if mode == "SM4-CBC" and length != 16:
        with pytest.raises(ValueError, match=f"must have 16 bytes in mode SM4-CBC, got {length}"):
            ms.save_checkpoint(weights, path, enc_key=key, enc_mode=mode)
        return
    ms.save_checkpoint(weights, path, enc_key=key, enc_mode=mode)
    loaded = ms.load_checkpoint(path, dec_key=key, dec_mode=mode)
    assert loaded["w"].asnumpy().tolist() == list(range(7))


def test_an_encrypted_file_says_that_it_is_encrypted(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is encrypted.* Pass its key as dec_key"):
        ms.load_checkpoint(saved(tmp_path, "AES-GCM"))


def test_a_file_that_is_not_encrypted_says_so(tmp_path: Path) -> None:
    path = str(tmp_path / "a.ckpt")
    ms.save_checkpoint(nn.Dense(1, 1), path)
    with pytest.raises(ValueError, match=r"is not encrypted.* Leave out dec_key"):
        ms.load_checkpoint(path, dec_key=KEY)


@pytest.mark.parametrize("mode", FILES)
def test_another_key_or_mode_or_a_damaged_file_is_refused(tmp_path: Path, mode: str) -> None:
    path = saved(tmp_path, mode)
    other = "AES-CBC" if mode != "AES-CBC" else "AES-GCM"
    whole = Path(path).read_bytes()
    for how in ({"dec_key": bytes(16), "dec_mode": mode}, {"dec_key": KEY, "dec_mode": other}):
        with pytest.raises(ValueError, match="Check dec_key and dec_mode"):
            ms.load_checkpoint(path, **how)
    for size in (5, 30, len(whole) - 1):
        Path(path).write_bytes(whole[:size])
        with pytest.raises(ValueError, match="Check dec_key and dec_mode"):
            ms.load_checkpoint(path, dec_key=KEY, dec_mode=mode)


def test_checkpoints_of_a_training_are_encrypted(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="CheckpointConfig: enc_key must have 16 or 24 or 32"):
        ms.train.CheckpointConfig(enc_key=b"short")
    assert ms.train.CheckpointConfig(enc_key=KEY, enc_mode="AES-CBC").enc_mode == "AES-CBC"


def test_without_the_extra_one_error_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    with pytest.raises(ImportError, match=r"minispore\[crypto\]"):
        ms.save_checkpoint(nn.Dense(1, 1), str(tmp_path / "a"), enc_key=KEY)


def test_enc_mode_is_checked_without_a_key(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="enc_mode must be a str, got 3"):
        ms.save_checkpoint(nn.Dense(1, 1), str(tmp_path / "a.ckpt"), enc_mode=3)
    assert not list(tmp_path.iterdir())
