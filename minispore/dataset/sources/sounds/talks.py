"""TedliumDataset: talks in NIST SPHERE files, cut into utterances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.sounds.table import MAX_SAMPLE, SoundTable, read_lines
from minispore.dataset.sources.table import TableDataset

_PARTS = ("dev", "test", "train")


class TedliumDataset(TableDataset):
    """Recordings of talks, cut into utterances.

    Columns: ``waveform`` float32 (1, n); ``sample_rate`` int32; ``transcript``, ``talk_id``,
    ``speaker_id`` and ``identifier``.

    The rows are sorted by line number as text (0, 1, 10, 11, 2), then by talk.

    Args:
        dataset_dir (str): the folder with ``train``, ``test`` and ``dev``, or ``data`` for release
            3, each with talks ``sph/<talk>.sph`` and transcripts ``stm/<talk>.stm``.
        release (str): ``"release1"``, ``"release2"`` or ``"release3"``.
        usage (str, optional): ``"train"``, ``"test"``, ``"dev"`` or ``"all"``; for release 3 only
            ``"all"``. Default: ``None``, all.
        extensions (str, optional): the extension of the talks, only ``".sph"``. Default: ``None``,
            ``".sph"``.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a folder is missing, there are no transcripts, or a line is invalid; later,
            when a talk can't be read, or ends too early.

    Source: A. Rousseau, P. Deleglise and Y. Esteve, TED-LIUM: an automatic speech recognition
    dedicated corpus, 2012.
    """

    def __init__(
        self,
        dataset_dir: str,
        release: str,
        usage: str | None = None,
        extensions: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "TedliumDataset"
        check.one_of(api_name, "release", release, ("release1", "release2", "release3"))
        path = check_folder(api_name, dataset_dir)
        parts = ("data",) if release == "release3" else _PARTS
        usages = () if release == "release3" else ("train", "test", "dev")
        check.one_of(api_name, "usage", usage, (None, *usages, "all"))
        _check_extensions(api_name, extensions)
        if usage not in (None, "all"):
            parts = (str(usage),)
        utterances = sorted(
            ((str(i), table.stem, part), _parse_line(api_name, table, line))
            for part in parts
            for table in _find_transcripts(api_name, path / part / "stm")
            for i, line in enumerate(read_lines(table))
        )
        if not utterances:
            raise RuntimeError(
                f"{api_name}: dataset_dir must hold talks and what was said, got none in {path}: "
                "no lines in .stm files found."
            )
        talks = [path / part / "sph" / f"{fields[0]}.sph" for (_, _, part), fields in utterances]
        spans = [(float(fields[3]), float(fields[4])) for _, fields in utterances]
        columns = {
            "transcript": [np.array(fields[6]) for _, fields in utterances],
            "talk_id": [np.array(fields[0]) for _, fields in utterances],
            "speaker_id": [np.array(fields[2]) for _, fields in utterances],
            "identifier": [np.array(fields[5]) for _, fields in utterances],
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = _TalkTable(api_name, talks, columns, spans)
        self._init_over_table(table, *options, dataset_dir=str(path), release=release, usage=usage)


class _TalkTable(SoundTable):
    """Segments of talks: ``spans`` holds the first and last second of each segment."""

    def __init__(
        self,
        api_name: str,
        files: Sequence[Path],
        columns: Mapping[str, Any],
        spans: Sequence[tuple[float, float]],
    ) -> None:
        super().__init__(api_name, files, columns)
        self._spans = spans

    def read_recording(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples of the row's segment of a talk, and the sample rate."""
        return read_sphere(self._files[row], *self._spans[row])


def read_sphere(path: Path, start: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Read the samples from second ``start`` to ``end``, and the sample rate.

    Samples are float32 (1, n) in [-1, 1].

    The file begins with ``NIST_1A``, the length of its header, and lines ``<field> -<type>
    <value>``.

    Raises:
        ValueError: the header is invalid, the encoding is not supported, or the file ends early.
    """
    with path.open("rb") as file:
        magic, length = file.readline().strip(), file.readline().strip()
        if magic != b"NIST_1A" or not length.isdigit():
            raise ValueError("it must begin with NIST_1A and the length of its head.")
        head = file.read(int(length) - file.tell()).decode("latin-1").split("end_head")[0]
        fields = {f[0]: f[2] for line in head.splitlines() if len(f := line.split(None, 2)) == 3}
        for field, value in _REQUIRED_FIELDS.items():
            if (actual := fields.get(field, value).strip()) != value:
                raise ValueError(f"{field} must be {value}, got {actual}.")
        order = {"01": "<i2", "10": ">i2"}.get(fields.get("sample_byte_format", "").strip())
        rate = fields.get("sample_rate", "").strip()
        if order is None or not rate.isdigit():
            raise ValueError("its head must tell sample_rate, and sample_byte_format as 01 or 10.")
        first, last = int(start * int(rate)), int(end * int(rate))
        file.seek(int(length) + 2 * first)
        raw = file.read(2 * max(0, last - first))
    if len(raw) != 2 * (last - first):
        raise ValueError(f"it must hold what was said from {start} s to {end} s, it ends earlier.")
    samples = (np.frombuffer(raw, order) / MAX_SAMPLE).astype(np.float32)
    return samples[None], np.array(int(rate), np.int32)


# The values that these fields must have if the header contains them.
_REQUIRED_FIELDS = {"channel_count": "1", "sample_n_bytes": "2", "sample_coding": "pcm"}


def _check_extensions(api_name: str, extensions: Any) -> None:
    """Check that ``extensions`` is None or ``.sph``.

    Raises:
        TypeError, RuntimeError: ``extensions`` has a wrong type or value.
    """
    if extensions is not None and not isinstance(extensions, str):
        raise check.wrong_type(api_name, "extensions", "be a str", extensions, str)
    if extensions not in (None, ".sph"):
        raise RuntimeError(
            f"{api_name}: extensions must be '.sph', got {extensions!r}: extension {extensions} is "
            "not supported."
        )


def _find_transcripts(api_name: str, transcript_folder: Path) -> list[Path]:
    """Find the transcripts in a folder.

    Raises:
        RuntimeError: the folder does not exist.
    """
    if not transcript_folder.is_dir():
        raise RuntimeError(
            f"{api_name}: dataset_dir must hold the folders of its release, got no "
            f"{transcript_folder}: failed to "
            "open folder."
        )
    return sorted(transcript_folder.glob("*.stm"))


def _parse_line(api_name: str, table: Path, line: str) -> list[str]:
    """Split a line into talk, channel, speaker, first and last second, identifier, and text.

    Raises:
        RuntimeError: the line is invalid.
    """
    fields = [*line.split(" ", 6), ""][:7]
    try:
        is_valid = len(fields) == 7 and 0 <= float(fields[3]) <= float(fields[4])
    except ValueError:
        is_valid = False
    if not is_valid:
        raise RuntimeError(
            f"{api_name}: dataset_dir must hold .stm files with lines <talk> <channel> <speaker> "
            f"<start> <end> <identifier> <text>, got {line!r} in {table}. Download it again."
        )
    return fields
