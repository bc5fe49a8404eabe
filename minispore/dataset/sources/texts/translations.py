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
from minispore.dataset.sources.texts.corpus import CorpusDataset, ParsedFiles
from minispore.errors import DatasetError

_SETS = ("dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014", None)
_LANGUAGES = ("en", "nl", "de", "it", "ro")
_METADATA_TAGS = "url keywords speaker talkid title description reviewer translator doc /doc"
_TAGS = [f"<{name}" for name in _METADATA_TAGS.split(" ")]


class IWSLT2016Dataset(CorpusDataset):
    """Sentences of talks: ``text`` and ``translation``, strings.

    Args:
        dataset_dir (str): the folder with ``texts/de/en/de-en``, or the folder of another pair, and
            in it ``train.tags.de-en.de``, ``IWSLT16.TED.tst2013.de-en.de.xml``, ... Its files are
            not changed.
        usage (str, optional): ``"train"``, ``"valid"``, ``"test"`` or ``"all"``. Default:
            ``None``, all.
        language_pair (list or tuple, optional): the languages of text and translation; one is
            ``"en"``, the other ``"ar"``, ``"cs"``, ``"de"`` or ``"fr"``. Default:
            ``None``, ``("de", "en")``.
        valid_set (str, optional): ``"dev2010"``, ``"tst2010"``, ``"tst2011"``, ``"tst2012"``,
            ``"tst2013"`` or ``"tst2014"``. Default: ``None``, ``"tst2013"``.
        test_set (str, optional): as for ``valid_set``. Default: ``None``, ``"tst2014"``.
        num_samples, shuffle, num_shards, shard_id: as for :class:`AGNewsDataset`.
        num_parallel_workers, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing, is not XML, or has a different number of sentences than its
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
        api_name = "IWSLT2016Dataset"
        reading_args = num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        others = ("ar", "cs", "de", "fr")
        pairs = [pair for other in others for pair in (("en", other), (other, "en"))]
        pair = _check_language_pair(api_name, language_pair, pairs, ("de", "en"))
        check.one_of(api_name, "valid_set", valid_set, _SETS)
        check.one_of(api_name, "test_set", test_set, _SETS)
        set_names = {"valid": valid_set or "tst2013", "test": test_set or "tst2014"}
        folder = f"texts/{pair[0]}/{pair[1]}/{'-'.join(pair)}"
        parts = _list_talk_files(folder, "IWSLT16", pair, set_names)
        file_format = _make_pair_format(api_name, pair, _read_segments)
        self._init_corpus(dataset_dir, usage, parts, file_format, reading_args, sort_by_name=False)


class IWSLT2017Dataset(CorpusDataset):
    """Sentences of talks: ``text`` and ``translation``, strings.

    Args:
        dataset_dir (str): the folder with ``texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo``,
            and in it ``train.tags.de-en.de``, ``IWSLT17.TED.dev2010.de-en.de.xml``,
            ``IWSLT17.TED.tst2010.de-en.de.xml``, ... Its files are not changed.
        usage (str, optional): ``"train"``, ``"valid"``, ``"test"`` or ``"all"``. Default:
            ``None``, all.
        language_pair (list or tuple, optional): the languages of text and translation, two of
            ``"de"``, ``"en"``, ``"it"``, ``"nl"`` and ``"ro"``. Default: ``None``,
            ``("de", "en")``.
        num_samples, shuffle, num_shards, shard_id: as for :class:`AGNewsDataset`.
        num_parallel_workers, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing, is not XML, or has a different number of sentences than its
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
        api_name = "IWSLT2017Dataset"
        reading_args = num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        pair = _check_language_pair(
            api_name, language_pair, [*permutations(_LANGUAGES, 2)], ("de", "en")
        )
        set_names = {"valid": "dev2010", "test": "tst2010"}
        folder = "texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
        parts = _list_talk_files(folder, "IWSLT17", pair, set_names)
        file_format = _make_pair_format(api_name, pair, _read_segments)
        self._init_corpus(dataset_dir, usage, parts, file_format, reading_args, sort_by_name=False)


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
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing, or has a different number of lines than its partner.

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
        api_name = "Multi30kDataset"
        reading_args = num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        pair = _check_language_pair(
            api_name, language_pair, [("en", "de"), ("de", "en")], ("en", "de")
        )
        names = {
            "train": "training/train",
            "test": "mmt16_task1_test/test",
            "valid": "validation/val",
        }
        parts = {part: [f"{name}.{pair[0]}"] for part, name in names.items()}
        self._init_corpus(
            dataset_dir, usage, parts, _make_pair_format(api_name, pair, _read_lines), reading_args
        )


_Pair = tuple[str, str]
_Sentences = Callable[[Path], list[str]]


def _check_language_pair(
    api_name: str, value: Any, allowed: Iterable[_Pair], default: _Pair
) -> _Pair:
    """Check ``language_pair`` and return it as a tuple; ``default`` for None.

    Raises:
        TypeError: ``value`` is neither a list nor a tuple.
        ValueError: ``value`` is not in ``allowed``.
    """
    if value is None:
        return default
    if not isinstance(value, list | tuple):
        raise TypeError(f"{api_name}: language_pair must be a list or tuple, got {value!r}.")
    if tuple(value) not in allowed:
        raise ValueError(f"{api_name}: language_pair must be one of {[*allowed]}, got {value!r}.")
    return value[0], value[1]


def _list_talk_files(
    folder: str, campaign: str, pair: _Pair, set_names: dict[str, str]
) -> dict[str, list[str]]:
    """Return the names of the files of each usage, in the first language of the pair."""
    languages = "-".join(pair)
    set_files = {
        part: [f"{folder}/{campaign}.TED.{name}.{languages}.{pair[0]}.xml"]
        for part, name in set_names.items()
    }
    return {"train": [f"{folder}/train.tags.{languages}.{pair[0]}"], **set_files}


def _make_pair_format(api_name: str, pair: _Pair, read: _Sentences) -> ParsedFiles:
    """Make the format of a file of sentences with a partner file of translations."""
    return ParsedFiles(("text", "translation"), partial(_read_sentence_pairs, api_name, pair, read))


def _read_sentence_pairs(
    api_name: str, pair: _Pair, read: _Sentences, path: Path
) -> list[tuple[str, str]]:
    """Read the sentences of a file, each with that of the partner file in the other language.

    Raises:
        DatasetError: a file can't be read, or the numbers of sentences differ.
    """
    suffix = "".join(path.suffixes[-2:]) if path.suffix == ".xml" else path.suffix
    partner = path.with_name(path.name.removesuffix(suffix) + suffix.replace(*pair))
    sentence_lists = []
    for file in (path, partner):
        try:
            sentence_lists.append(read(file))
        except (OSError, ValueError, ElementTree.ParseError) as exc:
            raise DatasetError(f"{api_name}: the file {file} must be readable. {exc}.") from exc
    texts, translations = sentence_lists
    if len(texts) != len(translations):
        raise DatasetError(
            f"{api_name}: the file {partner} must have as many sentences as {path.name}, "
            f"{len(texts)}, got {len(translations)}."
        )
    return [*zip(texts, translations)]


def _read_lines(path: Path) -> list[str]:
    """Return the lines of a file without line ends."""
    with path.open(encoding="utf-8", newline="\n") as file:
        return [text.removesuffix("\n").removesuffix("\r") for text in file]


def _read_segments(path: Path) -> list[str]:
    """Return the texts of the ``seg`` nodes of an XML file, else the lines without metadata."""
    if path.suffix == ".xml":
        return ["".join(seg.itertext()).strip(" ") for seg in ElementTree.parse(path).iter("seg")]
    return [text.strip(" ") for text in _read_lines(path) if not any(tag in text for tag in _TAGS)]
