"""Public datasets of sound: rows as the real MindSpore gives them of the same files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import minispore.dataset as ds
from tests.golden.sound_files import CASES, FILE, build, rows, sphere

GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sounds")
    build(folder)
    return folder


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{c[0]}-{c[2]}" for c in CASES])
def test_a_source_of_sound_gives_the_rows_of_the_real_one(root, number):
    assert rows(ds, root, CASES[number]) == GOLDEN[number]


@pytest.mark.parametrize(
    "kind",
    [
        "YesNoDataset",
        "SpeechCommandsDataset",
        "LJSpeechDataset",
        "CMUArcticDataset",
        "GTZANDataset",
        "LibriTTSDataset",
    ],
)
def test_a_folder_without_recordings_is_refused(tmp_path, kind):
    with pytest.raises(RuntimeError, match=f"{kind}: dataset_dir must hold .*no .wav files found"):
        getattr(ds, kind)(str(tmp_path))


def test_a_folder_without_those_of_its_release_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="dataset_dir must hold the folders of its release"):
        ds.TedliumDataset(str(tmp_path), "release3")
    (tmp_path / "data/stm").mkdir(parents=True)
    with pytest.raises(RuntimeError, match=r"got none in .*: no lines in .stm files found"):
        ds.TedliumDataset(str(tmp_path), "release3")


@pytest.mark.parametrize(
    "value, error, message",
    [
        (("release4",), ValueError, "release must be 'release1', 'release2' or 'release3'"),
        ((None,), TypeError, "release must be a str"),
        (("release1", "valid"), ValueError, "usage must be 'train', 'test', 'dev' or 'all'"),
        (("release3", "dev"), ValueError, "usage must be 'all'"),
        (("release1", "dev", ".wav"), RuntimeError, "extension .wav is not supported"),
        (("release1", "dev", 3), TypeError, "extensions must be a str"),
    ],
)
def test_what_tedlium_does_not_know_is_refused(root, value, error, message):
    with pytest.raises(error, match=f"TedliumDataset: .*{message}"):
        ds.TedliumDataset(str(root / "tedlium1"), *value)


def test_an_unknown_usage_is_refused(root):
    with pytest.raises(ValueError, match=r"name must be 'aew', .*'slt', got 'bob'"):
        ds.CMUArcticDataset(str(root / "cmu_arctic"), "bob")
    with pytest.raises(ValueError, match=r"usage must be 'dev-clean', .*'all', got 'dev'"):
        ds.LibriTTSDataset(str(root / "libri_tts"), "dev")
    with pytest.raises(ValueError, match="usage must be 'train', 'valid', 'test' or 'all'"):
        ds.GTZANDataset(str(root / "gtzan"), "dev")
    with pytest.raises(ValueError, match="usage must be 'train', 'test', 'valid' or 'all'"):
        ds.SpeechCommandsDataset(str(root / "speech_commands"), "dev")


@pytest.mark.parametrize("damage", [b"", b"RIFF....WAVEfmt ", b"no sound"])
def test_a_damaged_recording_fails_with_its_row_and_file(tmp_path, damage):
    (tmp_path / "1_0_1_0_1_0_1_0.wav").write_bytes(damage)
    data = ds.YesNoDataset(str(tmp_path), shuffle=False)
    with pytest.raises(RuntimeError, match="YesNoDataset: row 0 failed, the recording "):
        list(data.create_dict_iterator(num_epochs=1))


@pytest.mark.parametrize(
    "kind, place, file",
    [
        ("CMUArcticDataset", "cmu_arctic", "cmu_us_aew_arctic/etc/txt.done.data"),
        ("LibriTTSDataset", "libri_tts", "dev-clean/84/121123/84_121123.trans.tsv"),
    ],
)
def test_a_file_of_texts_that_is_none_is_refused_with_its_line(tmp_path, kind, place, file):
    build(tmp_path)
    (tmp_path / place / file).write_text("what is this\n")
    with pytest.raises(RuntimeError, match=f"{kind}: .* got 'what is this' in .*{file}"):
        getattr(ds, kind)(str(tmp_path / place))


@pytest.mark.parametrize("line", ["talk 1 me 0 1", "talk 1 me x 1 <o> hi", "talk 1 me 2 1 <o> hi"])
def test_a_line_that_tells_no_part_of_a_talk_is_refused(tmp_path, line):
    (tmp_path / "data/stm").mkdir(parents=True)
    (tmp_path / "data/stm/talk.stm").write_text(line + "\n")
    with pytest.raises(RuntimeError, match=f"TedliumDataset: .* got '{line}' in .*talk.stm"):
        ds.TedliumDataset(str(tmp_path), "release3")


def test_a_recording_of_another_rate_fails_with_its_row_and_file(root, tmp_path):
    recording = root / "yesno/0_1_0_1_1_0_0_1.wav"
    (tmp_path / "blues").mkdir()
    (tmp_path / "blues/blues.00000.wav").write_bytes(recording.read_bytes())
    with pytest.raises(RuntimeError, match=r"row 0 failed, .* sample_rate must be 22050, got 8000"):
        list(ds.GTZANDataset(str(tmp_path)))


def test_the_parts_of_gtzan_have_the_tracks_of_the_real_one(tmp_path):
    for genre in [
        "blues",
        "classical",
        "country",
        "disco",
        "hiphop",
        "jazz",
        "metal",
        "pop",
        "reggae",
        "rock",
    ]:
        (tmp_path / genre).mkdir()
        for i in range(100):
            (tmp_path / genre / f"{genre}.{i:05}.wav").touch()
    usages = "train", "valid", "test", "all"
    sizes = [ds.GTZANDataset(str(tmp_path), usage).get_dataset_size() for usage in usages]
    assert sizes == [443, 197, 290, 1000]


def _talk(folder, line="talk 1 me 0.0000625 0.00025 <o> hi", **said):
    sphere(folder / "data/sph/talk.sph", np.array([0, 16384, -32767, 32767]), **said)
    (folder / "data/stm").mkdir(parents=True)
    (folder / "data/stm/talk.stm").write_text(line + "\n")
    return ds.TedliumDataset(str(folder), "release3")


@pytest.mark.parametrize("order", ["01", "10"])
def test_a_part_of_a_talk_has_its_samples_in_either_order_of_bytes(tmp_path, order):
    row = next(_talk(tmp_path, order=order).create_dict_iterator(num_epochs=1, output_numpy=True))
    assert row["waveform"].tolist() == [[np.float32(16384 / 32767), -1, 1]]


@pytest.mark.parametrize(
    "message, expected_message",
    [
        (
            {"sample_coding -s3": "pcm,embedded-shorten-v2.00"},
            "sample_coding must be pcm, got",
        ),
        ({"channel_count -i": "2"}, "channel_count must be 1, got 2"),
        ({"sample_rate -i": ""}, "its head must tell sample_rate"),
        ({"line": "talk 1 me 0 9 <o> hi"}, "from 0.0 s to 9.0 s, it ends earlier"),
        ({"line": "walk 1 me 0 9 <o> hi"}, "No such file"),
    ],
)
def test_a_talk_that_cannot_be_read_fails_with_its_row(tmp_path, message, expected_message):
    with pytest.raises(
        RuntimeError, match=f"row 0 failed, the recording .*alk.sph.*{expected_message}"
    ):
        list(_talk(tmp_path, **message))


def test_shards_and_samplers_pick_rows_of_talks(root):
    def speakers(**given):
        data = ds.TedliumDataset(str(root / "tedlium1"), "release1", **given)
        return [str(row["speaker_id"]) for row in data.create_dict_iterator(1, True)]

    assert speakers(sampler=[3, 0]) == ["BillGates_2010_dev", "AlGore_2009_dev"]
    assert speakers(shuffle=False, num_samples=1) == ["AlGore_2009_dev"]
    assert speakers(shuffle=False, num_shards=32, shard_id=1) == ["AlGore_2009_test"]
