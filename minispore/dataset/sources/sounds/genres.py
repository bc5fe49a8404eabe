"""GTZANDataset: music of ten genres."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.sounds.table import RatedTable, check_not_empty
from minispore.dataset.sources.table import TableDataset

# The usage of the tracks 0 to 99 of each genre: train (t), validate (v), test (e); faulty tracks
# (-) have no usage.
_TRACKS = """
    blues     vvvvvvvvvvvveeeeeeeeeeeeeeeeettttttttttttttttttttt
              vvvvvvvvvvveeeeeeeeeeeetttttttttttttttttttttttttee
    classical vvvvvvvvvvveeeeeeeeeeeeeeeeeeetttteeeeeeee-tttttte
              ttttttttttttttttttvvvvvvvvveeetttttttttttttttttttt
    country   vvvvvvvv-vvvvvvvvvvttttttttvtteeeeeeeeeeevveeveeev
              ee-eeeeeeeeeeeettttttttttttttttttttttttttttttttttt
    disco     vevvvtvvvvvvvvvttttttetttttttttttttttt-tttttttvtvt
              --vtt-ttet-teeeeevvet-vttveeeeeeeeeeeeetveeeevee-e
    hiphop    e-tttttttttttttttttttttttteettetttttttt-etteee----
              -eeeettttttteeeeeeeeeeeeee-ttttvvvvvvvvvvvvvvvvvve
    jazz      ttvvvvvvvvvttttttttttttttvvvvvvvv--------t-----ttt
              ttttttttttttttttttttttteeeeeeeeeeeeeeeeeeeeeeeeeee
    metal     vvtt-tvvvvvveeeevvvvvteeteeeeeeeee-tvvee------tttt
              tttttttt-ttttttttevtetteeevvettvveteteettttttttttt
    pop       eettttttttvttee-ttttt--ttttttt-tttttt-tttttet-t--t
              t--v-v--vvvvveeee--eeeeeeeeeeetvevvvv-eeeeeeeeettt
    reggae    ttt-t-t--t-tt-ttttttttttttttttttt-eeeeeee-tttteeet
              tteetttttttvvteeeeetvev-v-vvve--eeev-eeee-vvvvvvvv
    rock      tttttttttteeeeeettttttttttteeeeeeeeeeeveeeeeeeeeev
              vvvvvvvttttttttttttttvvvvvvvvvvvvvvveeeeettttttttt
"""
_WORDS = _TRACKS.split()
_USAGES = {
    genre: first + second
    for genre, first, second in zip(_WORDS[::3], _WORDS[1::3], _WORDS[2::3], strict=True)
}
_LETTERS = {"train": "t", "valid": "v", "test": "e"}


class GTZANDataset(TableDataset):
    """Half-minute clips of music of ten genres, in a folder for each genre.

    Columns: ``waveform`` float32 (1, n); ``sample_rate`` uint32, 22050; ``label``.

    Args:
        dataset_dir (str): the folder with the folders of the genres, with files such as
            ``blues/blues.00000.wav``.
        usage (str, optional): ``"train"``, ``"valid"``, ``"test"``: tracks of the public files that
            are neither repeated nor damaged, with no artist in two of these parts; or ``"all"``.
            Default: ``None``, all.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: no recording is found; later, when one can't be read or has a wrong rate.

    Source: G. Tzanetakis and P. Cook, Musical genre classification of audio signals, 2002; the
    parts are those of C. Kereliuk, B. Sturm and J. Larsen, Deep learning and music adversaries,
    2015.
    """

    no_classes_error = RuntimeError

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "GTZANDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, (None, *_LETTERS, "all"))
        files = [f for genre in _USAGES for f in _find_tracks(path / genre, usage)]
        check_not_empty(api_name, path, files, "files such as blues/blues.00000.wav")
        columns = {"label": np.array([f.parent.name for f in files])}
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = RatedTable(api_name, files, columns, 22050)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


def _find_tracks(genre: Path, usage: str | None) -> list[Path]:
    """Find the tracks of a usage in the folder of a genre."""
    if usage in (None, "all"):
        return sorted(genre.glob("*.wav"))
    chosen = enumerate(_USAGES[genre.name])
    files = [genre / f"{genre.name}.{i:05}.wav" for i, u in chosen if u == _LETTERS[str(usage)]]
    return [f for f in files if f.is_file()]
