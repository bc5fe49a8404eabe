"""Sentences and their translations: IWSLT2016Dataset, IWSLT2017Dataset, Multi30kDataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from minispore.dataset import check
from minispore.dataset.sources.records import Shuffle
from minispore.dataset.sources.texts.corpus import CorpusDataset, Parsed
from minispore.errors import DatasetError

_SETS = ("dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014", None)
_SPOKEN = ("en", "nl", "de", "it", "ro")
_TOLD = "url keywords speaker talkid title description reviewer translator doc /doc"
_TAGS = [f"<{name}" for name in _TOLD.split(" ")]


class IWSLT2016Dataset(CorpusDataset):
    """Sentences of talks: ``text`` and ``translation``, strings.

    Args:
        dataset_dir (str): the folder with ``texts/de/en/de-en`` or that of another pair, and in it
            ``train.tags.de-en.de``, ``IWSLT16.TED.tst2013.de-en.de.xml``, ... It is not changed.
        usage (str, optional): ``"train"``, ``"valid"``, ``"test"`` or ``"all"``. Default:
            ``None``, all.
        language_pair (list or tuple, optional): the languages of text and translation, of which
            one is ``"en"``, the other ``"ar"``, ``"cs"``, ``"de"`` or ``"fr"``. Default:
            ``None``, ``("de", "en")``.
        valid_set (str, optional): ``"dev2010"``, ``"tst2010"``, ``"tst2011"``, ``"tst2012"``,
            ``"tst2013"`` or ``"tst2014"``. Default: ``None``, ``"tst2013"``.
        test_set (str, optional): one of these. Default: ``None``, ``"tst2014"``.
        num_samples, shuffle, num_shards, shard_id: as for :class:`AGNewsDataset`.
        num_parallel_workers, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a file is missing, is no XML, or has another number of sentences than its
            partner.

    Source: M. Cettolo and others, The IWSLT 2016 evaluation campaign, 2016.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        language_pair: Sequence[str] | None = None,
        valid_set: str | None = None,
        test_set: str | None = None,
        num_samples: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        num_parallel_workers: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "IWSLT2016Dataset"
        reading = num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        others = ("ar", "cs", "de", "fr")
        pairs = [pair for other in others for pair in (("en", other), (other, "en"))]
        pair = _pair(op, language_pair, pairs, ("de", "en"))
        check.one_of(op, "valid_set", valid_set, _SETS)
        check.one_of(op, "test_set", test_set, _SETS)
        sets = {"valid": valid_set or "tst2013", "test": test_set or "tst2014"}
        place = f"texts/{pair[0]}/{pair[1]}/{'-'.join(pair)}"
        parts = _talks(place, "IWSLT16", pair, sets)
        form = _pairs(op, pair, _spoken)
        self._within(dataset_dir, usage, parts, form, reading, by_name=False)


class IWSLT2017Dataset(CorpusDataset):
    """Sentences of talks: ``text`` and ``translation``, strings.

    Args:
        dataset_dir (str): the folder with ``texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo``,
            and in it ``train.tags.de-en.de``, ``IWSLT17.TED.dev2010.de-en.de.xml``,
            ``IWSLT17.TED.tst2010.de-en.de.xml``, ... It is not changed.
        usage (str, optional): ``"train"``, ``"valid"``, ``"test"`` or ``"all"``. Default:
            ``None``, all.
        language_pair (list or tuple, optional): the languages of text and translation, two of
            ``"de"``, ``"en"``, ``"it"``, ``"nl"`` and ``"ro"``. Default: ``None``,
            ``("de", "en")``.
        num_samples, shuffle, num_shards, shard_id: as for :class:`AGNewsDataset`.
        num_parallel_workers, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a file is missing, is no XML, or has another number of sentences than its
            partner.

    Source: M. Cettolo and others, Overview of the IWSLT 2017 evaluation campaign, 2017.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        language_pair: Sequence[str] | None = None,
        num_samples: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        num_parallel_workers: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "IWSLT2017Dataset"
        reading = num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        pair = _pair(op, language_pair, [*permutations(_SPOKEN, 2)], ("de", "en"))
        sets = {"valid": "dev2010", "test": "tst2010"}
        place = "texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
        parts = _talks(place, "IWSLT17", pair, sets)
        form = _pairs(op, pair, _spoken)
        self._within(dataset_dir, usage, parts, form, reading, by_name=False)


class Multi30kDataset(CorpusDataset):
    """Descriptions of pictures: ``text`` and ``translation``, strings.

    Args:
        dataset_dir (str): the folder with ``training/train.en``, ``training/train.de``,
            ``validation/val.en``, ``mmt16_task1_test/test.en``, ...
        usage (str, optional): ``"train"``, ``"test"``, ``"valid"`` or ``"all"``. Default:
            ``None``, all.
        language_pair (list or tuple, optional): ``("en", "de")`` or ``("de", "en")``. Default:
            ``None``, the first.
        num_samples, num_parallel_workers: as for :class:`AGNewsDataset`.
        shuffle (bool or Shuffle, optional): likewise. Default: ``None``, yes.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a file is missing, or has another number of lines than its partner.

    Source: D. Elliott, S. Frank, K. Sima'an, L. Specia, Multi30K: multilingual English-German image
        descriptions, 2016.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        language_pair: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "Multi30kDataset"
        reading = num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        pair = _pair(op, language_pair, [("en", "de"), ("de", "en")], ("en", "de"))
        names = {
            "train": "training/train",
            "test": "mmt16_task1_test/test",
            "valid": "validation/val",
        }
        parts = {part: [f"{name}.{pair[0]}"] for part, name in names.items()}
        self._within(dataset_dir, usage, parts, _pairs(op, pair, _lines), reading)


_Pair = tuple[str, str]
_Sentences = Callable[[Path], list[str]]


def _pair(op: str, value: Any, known: Iterable[_Pair], default: _Pair) -> _Pair:
    """``language_pair``.

    Raises:
        TypeError: it is no list and no tuple.
        ValueError: it is none of ``known``.
    """
    if value is None:
        return default
    if not isinstance(value, list | tuple):
        raise TypeError(f"{op}: language_pair must be a list or tuple, got {value!r}.")
    if tuple(value) not in known:
        raise ValueError(f"{op}: language_pair must be one of {[*known]}, got {value!r}.")
    return value[0], value[1]


def _talks(place: str, year: str, pair: _Pair, sets: dict[str, str]) -> dict[str, list[str]]:
    """The files of each usage in the language of the text."""
    both = "-".join(pair)
    told = {
        part: [f"{place}/{year}.TED.{name}.{both}.{pair[0]}.xml"] for part, name in sets.items()
    }
    return {"train": [f"{place}/train.tags.{both}.{pair[0]}"], **told}


def _pairs(op: str, pair: _Pair, read: _Sentences) -> Parsed:
    return Parsed(("text", "translation"), partial(_translated, op, pair, read))


def _translated(op: str, pair: _Pair, read: _Sentences, path: Path) -> list[tuple[str, str]]:
    """The sentences of a file with those of its partner.

    Raises:
        RuntimeError: one can't be read, or they have different numbers of sentences.
    """
    end = "".join(path.suffixes[-2:]) if path.suffix == ".xml" else path.suffix
    partner = path.with_name(path.name.removesuffix(end) + end.replace(*pair))
    told = []
    for file in (path, partner):
        try:
            told.append(read(file))
        except (OSError, ValueError, ElementTree.ParseError) as exc:
            raise DatasetError(f"{op}: the file {file} must be readable. {exc}.") from exc
    texts, translations = told
    if len(texts) != len(translations):
        raise DatasetError(
            f"{op}: the file {partner} must have as many sentences as {path.name}, {len(texts)}, "
            f"got {len(translations)}."
        )
    return [*zip(texts, translations)]


def _lines(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="\n") as file:
        return [text.removesuffix("\n").removesuffix("\r") for text in file]


def _spoken(path: Path) -> list[str]:
    """Of XML the segments, else the lines without what is told of a talk."""
    if path.suffix == ".xml":
        return ["".join(seg.itertext()).strip(" ") for seg in ElementTree.parse(path).iter("seg")]
    return [text.strip(" ") for text in _lines(path) if not any(tag in text for tag in _TAGS)]
