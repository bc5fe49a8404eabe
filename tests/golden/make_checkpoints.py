"""Make the checkpoints of tests/golden/checkpoints with the real MindSpore, and read ours with it.

python make_checkpoints.py            writes them
python make_checkpoints.py FILE ...   loads files and prints what is in them, as JSON
"""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np

FOLDER = Path(__file__).parent / "checkpoints"
TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
TYPES += ("float16", "float32", "float64")


def contents():
    """One parameter of each type and shape."""
    options = [
        {"name": f"of.{t}", "data": ms.Tensor(np.arange(6).reshape(2, 3).astype(t))} for t in TYPES
    ]
    options.append({"name": "scalar", "data": ms.Tensor(np.float32(2.5))})
    options.append({"name": "one", "data": ms.Tensor(np.array([7], np.int32))})
    return options


def main():
    FOLDER.mkdir(exist_ok=True)
    info = {"epoch_num": 3, "rate": 0.5, "flag": True, "text": "über"}
    ms.save_checkpoint(contents(), str(FOLDER / "mindspore.ckpt"), append_dict=info)
    ms.save_checkpoint(contents(), str(FOLDER / "mindspore_crc.ckpt"), crc_check=True)
    ms.save_checkpoint(contents(), str(FOLDER / "mindspore.safetensors"), format="safetensors")
    brief = [{"name": "w", "data": ms.Tensor([1.5, -2.0], ms.bfloat16)}]
    ms.save_checkpoint(brief, str(FOLDER / "mindspore_bfloat16.ckpt"))
    for path in FOLDER.iterdir():
        path.chmod(0o644)


def show(path):
    kind = "safetensors" if path.endswith("safetensors") else "ckpt"
    loaded = ms.load_checkpoint(path, format=kind, crc_check=True)
    return {
        name: p
        if isinstance(p, str)
        else [str(p.dtype), list(p.shape), p.astype(ms.float64).asnumpy().ravel().tolist()]
        for name, p in loaded.items()
    }


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps([show(path) for path in sys.argv[1:]]))
    else:
        main()
