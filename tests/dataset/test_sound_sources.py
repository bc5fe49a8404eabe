"""Public datasets of sound: rows as the real MindSpore gives them of the same files."""

from __future__ import annotations

import json

import pytest

import minispore.dataset as ds
from tests.golden.sound_files import CASES, FILE, build, rows

GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sounds")
    build(folder)
    return folder


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{c[0]}-{c[2]}" for c in CASES])
def test_a_source_of_sound_gives_the_rows_of_the_real_one(root, number):
    assert rows(ds, root, CASES[number]) == GOLDEN[number]


@pytest.mark.parametrize("kind", ["YesNoDataset", "SpeechCommandsDataset", "LJSpeechDataset"])
def test_a_folder_without_recordings_is_refused(tmp_path, kind):
    with pytest.raises(RuntimeError, match=f"{kind}: dataset_dir must hold .*no .wav files found"):
        getattr(ds, kind)(str(tmp_path))


def test_a_usage_that_there_is_not_is_refused(root):
    with pytest.raises(ValueError, match="usage must be 'train', 'test', 'valid' or 'all'"):
        ds.SpeechCommandsDataset(str(root / "speech_commands"), "dev")


@pytest.mark.parametrize("damage", [b"", b"RIFF....WAVEfmt ", b"no sound"])
def test_a_damaged_recording_fails_with_its_row_and_file(tmp_path, damage):
    (tmp_path / "1_0_1_0_1_0_1_0.wav").write_bytes(damage)
    data = ds.YesNoDataset(str(tmp_path), shuffle=False)
    with pytest.raises(RuntimeError, match="YesNoDataset: row 0 failed, the recording "):
        list(data.create_dict_iterator(num_epochs=1))
