"""Small recordings in the layouts of public datasets, and what MindSpore makes of them.

``python tests/golden/sound_files.py`` writes ``sounds.json`` where MindSpore is.
"""

from __future__ import annotations

import json
import tempfile
import wave
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("sounds.json")


def build(root: Path) -> None:
    """All of them, each in a folder of its own below ``root``."""
    for name in ("0_1_0_1_1_0_0_1", "1_1_0_1_1_0_0_0"):
        _wav(root / f"yesno/{name}.wav", len(name))
    for name in ("bed/a_nohash_0", "bed/b_nohash_1", "cat/a_nohash_0", "cat/c_nohash_12"):
        _wav(root / f"speech_commands/{name}.wav", len(name), 16000)
    _wav(root / "speech_commands/_background_noise_/rain.wav", 3)
    (root / "speech_commands/testing_list.txt").write_text("cat/c_nohash_12.wav\n")
    (root / "speech_commands/validation_list.txt").write_text("bed/b_nohash_1.wav\n")
    for name in ("LJ001-0001", "LJ001-0002"):
        _wav(root / f"ljspeech/wavs/{name}.wav", 7, 22050)
    lines = "LJ001-0002|Printing, 1|Printing, one\nLJ001-0001|in being|in being\n"
    (root / "ljspeech/metadata.csv").write_text(lines)


def _wav(path: Path, count: int, rate: int = 8000) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.arange(count) * 4000 - 16000).astype("<i2").tobytes())


CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("YesNoDataset", "yesno", {}),
    *[
        ("SpeechCommandsDataset", "speech_commands", {"usage": usage})
        for usage in (None, "train", "test", "valid", "all")
    ],
    ("LJSpeechDataset", "ljspeech", {}),
]


def rows(ds: Any, root: Path, case: tuple[str, str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Every row: of each column the dtype and the values."""
    name, place, arguments = case
    data = getattr(ds, name)(str(root / place), shuffle=False, **arguments)
    made = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    return [{k: [str(v.dtype), v.tolist()] for k, v in row.items()} for row in made]


if __name__ == "__main__":
    import mindspore.dataset

    with tempfile.TemporaryDirectory() as place:
        build(Path(place))
        told = [json.dumps(rows(mindspore.dataset, Path(place), case)) for case in CASES]
    FILE.write_text("[\n" + ",\n".join(told) + "\n]\n", encoding="utf-8")
