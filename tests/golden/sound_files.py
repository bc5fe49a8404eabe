"""Write small recordings in the layouts of public datasets, and read their rows.

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
        _write_wav(root / f"yesno/{name}.wav", len(name))
    for name in ("bed/a_nohash_0", "bed/b_nohash_1", "cat/a_nohash_0", "cat/c_nohash_12"):
        _write_wav(root / f"speech_commands/{name}.wav", len(name), 16000)
    _write_wav(root / "speech_commands/_background_noise_/rain.wav", 3)
    (root / "speech_commands/testing_list.txt").write_text("cat/c_nohash_12.wav\n")
    (root / "speech_commands/validation_list.txt").write_text("bed/b_nohash_1.wav\n")
    for name in ("LJ001-0001", "LJ001-0002"):
        _write_wav(root / f"ljspeech/wavs/{name}.wav", 7, 22050)
    lines = "LJ001-0002|Printing, 1|Printing, one\nLJ001-0001|in being|in being\n"
    (root / "ljspeech/metadata.csv").write_text(lines)
    for speaker in ("aew", "slt"):
        place = root / f"cmu_arctic/cmu_us_{speaker}_arctic"
        for i, name in enumerate(("arctic_a0001", "arctic_b0539")):
            _write_wav(place / f"wav/{name}.wav", i + ord(speaker[0]) % 5, 16000)
        lines = '( arctic_b0539 "She (the first), she\'s gone." )\n( arctic_a0001 "Etc." )\n'
        _write_file(place / "etc/txt.done.data", lines)
    for i, track in enumerate(("blues.00012", "disco.00005", "metal.00004", "pop.00010")):
        _write_wav(root / f"gtzan/{track[:-6]}/{track}.wav", i + 1, 22050)
    _write_wav(root / "gtzan/noise/noise.00000.wav", 1, 22050)
    chapters = (("train-clean-100", 19, 198), ("dev-clean", 84, 121123), ("test-other", 7, 8))
    for part, speaker, chapter in chapters:
        place = root / f"libri_tts/{part}/{speaker}/{chapter}"
        texts = [f"{speaker}_{chapter}_00000{i}_000000" for i in (1, 0)]
        for name in texts:
            _write_wav(place / f"{name}.wav", speaker % 10, 24000)
        lines = "".join(f"{name}\tRoom 1, {name}\tRoom one,\n" for name in texts)
        _write_file(place / f"{speaker}_{chapter}.trans.tsv", lines)
    for release, parts in (("tedlium1", ("train", "test", "dev")), ("tedlium3", ("data",))):
        for part in parts:
            for talk in ("BillGates_2010", "AlGore_2009"):
                sphere(root / f"{release}/{part}/sph/{talk}.sph", np.arange(64) * 500 - 16000)
                lines = [
                    f"{talk} 1 {talk}_{part} {i / 8000} {(i + 2.1) / 8000} <o,f0,male> so {i}\n"
                    for i in range(11 if part == "dev" else 1)
                ]
                gap = f"{talk} 1 inter_segment_gap 0 0.001 <o,f0,> ignore_time_segment_in_scoring\n"
                _write_file(root / f"{release}/{part}/stm/{talk}.stm", "".join([*lines, gap]))


def _write_wav(path: Path, count: int, rate: int = 8000) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.arange(count) * 4000 - 16000).astype("<i2").tobytes())


def sphere(path: Path, samples: np.ndarray, order: str = "01", **header_fields: str) -> None:
    """A NIST SPHERE file: 1024 bytes of head, samples of 16 bits."""
    fields = {"sample_count -i": len(samples), "sample_n_bytes -i": 2, "channel_count -i": 1}
    fields |= {"sample_byte_format -s2": order, "sample_rate -i": 16000, "sample_coding -s3": "pcm"}
    fields |= header_fields
    head = "".join(f"{field} {value}\n" for field, value in fields.items())
    path.parent.mkdir(parents=True, exist_ok=True)
    head = f"NIST_1A\n   1024\n{head}end_head\n".ljust(1024)
    path.write_bytes(head.encode() + samples.astype("<i2" if order == "01" else ">i2").tobytes())


def _write_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("YesNoDataset", "yesno", {}),
    *[
        ("SpeechCommandsDataset", "speech_commands", {"usage": usage})
        for usage in (None, "train", "test", "valid", "all")
    ],
    ("LJSpeechDataset", "ljspeech", {}),
    *[("CMUArcticDataset", "cmu_arctic", {"name": name}) for name in (None, "slt")],
    *[
        ("GTZANDataset", "gtzan", {"usage": usage})
        for usage in (None, "train", "valid", "test", "all")
    ],
    *[("LibriTTSDataset", "libri_tts", {"usage": usage}) for usage in (None, "dev-clean", "all")],
    *[
        ("TedliumDataset", "tedlium1", {"release": release, "usage": usage})
        for release, usage in (("release1", None), ("release1", "dev"), ("release2", "all"))
    ],
    ("TedliumDataset", "tedlium3", {"release": "release3"}),
]


def rows(ds: Any, root: Path, case: tuple[str, str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Every row: of each column the dtype and the values; of Tedlium's waveforms the shape, since
    the real one tells zeros."""
    name, place, arguments = case
    shapes = ("waveform",) if name == "TedliumDataset" else ()
    data = getattr(ds, name)(str(root / place), shuffle=False, **arguments)
    output = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    return [
        {k: [str(v.dtype), list(v.shape) if k in shapes else v.tolist()] for k, v in row.items()}
        for row in output
    ]


if __name__ == "__main__":
    import mindspore.dataset

    with tempfile.TemporaryDirectory() as place:
        build(Path(place))
        lines = [json.dumps(rows(mindspore.dataset, Path(place), case)) for case in CASES]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
