"""Datasets of pictures paired with other pictures or texts, such as FlickrDataset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.pictures.table import (
    PictureTable,
    check_not_empty,
    list_folders,
    list_pictures,
    make_line_error,
    read_lines,
)
from minispore.dataset.sources.table import TableDataset
from minispore.foundation.files import parse_json


class DIV2KDataset(TableDataset):
    """Pictures in high and low resolution: ``hr_image`` and ``lr_image``, uint8.

    Args:
        dataset_dir (str): the folder with ``DIV2K_train_HR``, ``DIV2K_train_LR_bicubic``, ...
        usage (str): ``"train"``, ``"valid"`` or ``"all"``. Default: ``"train"``.
        downgrade (str): ``"bicubic"``, ``"unknown"``, ``"mild"``, ``"difficult"`` or ``"wild"``.
            Default: ``"bicubic"``.
        scale (int): 2, 3 or 4, and 8 for bicubic; only 4 for mild, difficult and wild. Default:
            ``2``.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool, optional): whether images are decoded. Default: ``None``, no.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: an image has no partner; later, when one can't be read.

    Source: E. Agustsson, R. Timofte, NTIRE 2017 challenge on single image super-resolution, 2017.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str = "train",
        downgrade: str = "bicubic",
        scale: int = 2,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "DIV2KDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, ("train", "valid", "all"))
        scales = {"bicubic": (2, 3, 4, 8), "unknown": (2, 3, 4)}
        downgrades = ("bicubic", "unknown", "mild", "difficult", "wild")
        check.one_of(api_name, "downgrade", downgrade, downgrades)
        check.integer(api_name, "scale", scale)
        check.member(api_name, "scale", scale, scales.get(downgrade, (4,)))
        folder_suffix, file_suffix = f"LR_{downgrade}/X{scale}", f"x{scale}"
        if scale == 8:
            folder_suffix = "LR_x8"
        elif downgrade not in scales:
            folder_suffix, file_suffix = f"LR_{downgrade}", f"x{scale}{downgrade[0]}"
        high, low = [], []
        for part in ("train", "valid") if usage == "all" else (usage,):
            low_folder = path / f"DIV2K_{part}_{folder_suffix}"
            if not low_folder.is_dir():
                raise RuntimeError(
                    f"{api_name}: dataset_dir must hold {low_folder.relative_to(path)}. ({path})"
                )
            for file in list_pictures(path / f"DIV2K_{part}_HR"):
                partner = low_folder / f"{file.stem}{file_suffix}{file.suffix}"
                if not partner.is_file():
                    raise RuntimeError(
                        f"{api_name}: {file} must have a partner {partner}, got none."
                    )
                high.append(file)
                low.append(partner)
        check_not_empty(api_name, high, path)
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(api_name, {"hr_image": high, "lr_image": low}, decode)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


class CityscapesDataset(TableDataset):
    """Pictures of streets: ``image`` uint8, ``task`` uint8, or JSON text for ``"polygon"``.

    Args:
        dataset_dir (str): the folder with ``leftImg8bit`` and ``gtFine`` or ``gtCoarse``.
        usage (str): ``"train"``, ``"val"``, ``"all"``, and ``"test"`` if fine, ``"train_extra"`` if
            coarse. Default: ``"train"``.
        quality_mode (str): ``"fine"`` or ``"coarse"``. Default: ``"fine"``.
        task (str): ``"instance"``, ``"semantic"``, ``"polygon"`` or ``"color"``. Default:
            ``"instance"``.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool, optional): whether images are decoded. Default: ``None``, no.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: an image has no partner; later, when one can't be read.

    Source: M. Cordts and others, The Cityscapes dataset for semantic urban scene understanding,
    2016.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str = "train",
        quality_mode: str = "fine",
        task: str = "instance",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "CityscapesDataset"
        path = check_folder(api_name, dataset_dir)
        ends = {
            "instance": "instanceIds.png",
            "semantic": "labelIds.png",
            "polygon": "polygons.json",
            "color": "color.png",
        }
        check.one_of(api_name, "task", task, ends)
        check.one_of(api_name, "quality_mode", quality_mode, ("fine", "coarse"))
        third_usage = "test" if quality_mode == "fine" else "train_extra"
        check.one_of(api_name, "usage", usage, ("train", third_usage, "val", "all"))
        annotation_folder = "gtFine" if quality_mode == "fine" else "gtCoarse"
        images: list[Path] = []
        partners: list[Path] = []
        for part in ("train", third_usage, "val") if usage == "all" else (usage,):
            for city in list_folders(path / "leftImg8bit" / part):
                for file in list_pictures(city):
                    stem = file.name.removesuffix("_leftImg8bit.png")
                    name = f"{stem}_{annotation_folder}_{ends[task]}"
                    partner = path / annotation_folder / part / city.name / name
                    if not partner.is_file():
                        raise RuntimeError(
                            f"{api_name}: {file} must have a partner {partner}, got none."
                        )
                    images.append(file)
                    partners.append(partner)
        check_not_empty(api_name, images, path)
        is_polygon = task == "polygon"
        annotations = (
            [_read_compact_json(api_name, p) for p in partners] if is_polygon else partners
        )
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(api_name, {"image": images, "task": annotations}, decode)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


def _read_compact_json(api_name: str, path: Path) -> np.ndarray:
    """Return the JSON in a file as text without spaces and with sorted keys.

    Raises:
        RuntimeError: the file is not a JSON file.
    """
    try:
        document = parse_json("\n".join(read_lines(api_name, path)))
    except ValueError as exc:
        raise RuntimeError(f"{api_name}: {path} must be a JSON file. {exc}") from exc
    return np.array(json.dumps(document, separators=(",", ":"), sort_keys=True, ensure_ascii=False))


class FlickrDataset(TableDataset):
    """Photographs with five captions each: ``image`` uint8, ``annotation`` strings (5,).

    Args:
        dataset_dir (str): the folder of the images.
        annotation_file (str): lines of a file name, ``#``, a number, a tab and a sentence.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool, optional): whether images are decoded. Default: ``None``, no.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: the annotations can't be read or are damaged; later, when an image can't be
            read.

    Source: M. Hodosh, P. Young, J. Hockenmaier, Framing image description as a ranking task, 2013.
    """

    def __init__(
        self,
        dataset_dir: str,
        annotation_file: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "FlickrDataset"
        path = check_folder(api_name, dataset_dir)
        list_file = Path(check.string(api_name, "annotation_file", annotation_file))
        if not list_file.is_file():
            raise ValueError(
                f"{api_name}: annotation_file must be a file, got {annotation_file!r}, which does "
                "not exist or permission denied!"
            )
        captions: dict[str, list[str]] = {}
        for number, line in enumerate(read_lines(api_name, list_file), 1):
            name, tab, sentence = line.partition("\t")
            if line.strip():
                if not tab or "#" not in name:
                    raise make_line_error(
                        api_name, list_file, number, "a name, #, a number, a tab, a sentence", line
                    )
                captions.setdefault(name.rpartition("#")[0], []).append(sentence)
        captions = {name: captions[name] for name in sorted(captions)}
        check_not_empty(api_name, list(captions), path)
        columns = {
            "image": [path / name for name in captions],
            "annotation": [np.array(sentences) for sentences in captions.values()],
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(
            PictureTable(api_name, columns, decode), *options, dataset_dir=str(path)
        )


class SBUDataset(TableDataset):
    """Photographs with captions: ``image`` uint8, ``caption`` a string.

    Listed photographs without a file are skipped.

    Args:
        dataset_dir (str): the folder with ``sbu_images`` and the lists of URLs and captions.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value, or a list does not exist.
        RuntimeError: a list can't be read, or the lists differ in length; later, when an image
            can't be read.

    Source: V. Ordonez, G. Kulkarni, T. L. Berg, Im2Text, 2011.
    """

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "SBUDataset"
        path = check_folder(api_name, dataset_dir)
        urls, captions = [
            read_lines(api_name, path / f"SBU_captioned_photo_dataset_{part}.txt", ValueError)
            for part in ("urls", "captions")
        ]
        if len(urls) != len(captions):
            raise RuntimeError(
                f"{api_name}: the lists must be as long as each other, got {len(urls)} URLs and "
                f"{len(captions)} captions. ({path})"
            )
        # The URL http://static.flickr.com/3326/359.jpg refers to the file m_3326_359.jpg.
        prefix_length = len("http://static.flickr.co")
        files = [
            path / "sbu_images" / url.strip()[prefix_length:].replace("/", "_") for url in urls
        ]
        rows = [(file, caption) for file, caption in zip(files, captions) if file.is_file()]
        check_not_empty(api_name, rows, path)
        columns = {
            "image": [file for file, _ in rows],
            "caption": [np.array(caption) for _, caption in rows],
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(
            PictureTable(api_name, columns, decode), *options, dataset_dir=str(path)
        )
