"""Pictures beside other pictures or words: CityscapesDataset, DIV2KDataset, FlickrDataset,
SBUDataset.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.pictures.table import (
    PictureTable,
    damaged,
    folders,
    lines,
    pictures,
    some,
)
from minispore.dataset.sources.table import TableDataset


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
        TypeError, ValueError: an argument is not what it must be.
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
        op = "DIV2KDataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "usage", usage, ("train", "valid", "all"))
        scales = {"bicubic": (2, 3, 4, 8), "unknown": (2, 3, 4)}
        kinds = ("bicubic", "unknown", "mild", "difficult", "wild")
        check.one_of(op, "downgrade", downgrade, kinds)
        check.integer(op, "scale", scale)
        check.member(op, "scale", scale, scales.get(downgrade, (4,)))
        inside, end = f"LR_{downgrade}/X{scale}", f"x{scale}"
        if scale == 8:
            inside = "LR_x8"
        elif downgrade not in scales:
            inside, end = f"LR_{downgrade}", f"x{scale}{downgrade[0]}"
        high, low = [], []
        for part in ("train", "valid") if usage == "all" else (usage,):
            place = path / f"DIV2K_{part}_{inside}"
            if not place.is_dir():
                raise RuntimeError(
                    f"{op}: dataset_dir must hold {place.relative_to(path)}. ({path})"
                )
            for file in pictures(path / f"DIV2K_{part}_HR"):
                partner = place / f"{file.stem}{end}{file.suffix}"
                if not partner.is_file():
                    raise RuntimeError(f"{op}: {file} must have a partner {partner}, got none.")
                high.append(file)
                low.append(partner)
        some(op, high, path)
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(op, {"hr_image": high, "lr_image": low}, decode)
        self._over(table, *picked, dataset_dir=str(path), usage=usage)


class CityscapesDataset(TableDataset):
    """Streets: ``image`` uint8, ``task`` uint8, or for ``"polygon"`` the text of a JSON file.

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
        TypeError, ValueError: an argument is not what it must be.
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
        op = "CityscapesDataset"
        path = folder(op, dataset_dir)
        ends = {
            "instance": "instanceIds.png",
            "semantic": "labelIds.png",
            "polygon": "polygons.json",
            "color": "color.png",
        }
        check.one_of(op, "task", task, ends)
        check.one_of(op, "quality_mode", quality_mode, ("fine", "coarse"))
        third = "test" if quality_mode == "fine" else "train_extra"
        check.one_of(op, "usage", usage, ("train", third, "val", "all"))
        kind = "gtFine" if quality_mode == "fine" else "gtCoarse"
        images: list[Path] = []
        partners: list[Path] = []
        for part in ("train", third, "val") if usage == "all" else (usage,):
            for city in folders(path / "leftImg8bit" / part):
                for file in pictures(city):
                    name = f"{file.name.removesuffix('_leftImg8bit.png')}_{kind}_{ends[task]}"
                    partner = path / kind / part / city.name / name
                    if not partner.is_file():
                        raise RuntimeError(f"{op}: {file} must have a partner {partner}, got none.")
                    images.append(file)
                    partners.append(partner)
        some(op, images, path)
        polygons = task == "polygon"
        other = [_compact(op, p) for p in partners] if polygons else partners
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(op, {"image": images, "task": other}, decode)
        self._over(table, *picked, dataset_dir=str(path), usage=usage)


def _compact(op: str, path: Path) -> np.ndarray:
    """The JSON in a file without spaces."""
    try:
        said = json.loads("\n".join(lines(op, path)))
    except ValueError as exc:
        raise RuntimeError(f"{op}: {path} must be a JSON file. {exc}") from exc
    return np.array(json.dumps(said, separators=(",", ":"), sort_keys=True, ensure_ascii=False))


class FlickrDataset(TableDataset):
    """Photographs and what five people say of each: ``image`` uint8, ``annotation`` strings (5,).

    Args:
        dataset_dir (str): the folder of the images.
        annotation_file (str): lines of a file name, ``#``, a number, a tab and a sentence.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool, optional): whether images are decoded. Default: ``None``, no.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
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
        op = "FlickrDataset"
        path = folder(op, dataset_dir)
        told = Path(check.string(op, "annotation_file", annotation_file))
        if not told.is_file():
            raise ValueError(
                f"{op}: annotation_file must be a file, got {annotation_file!r}, which does not "
                "exist or permission denied!"
            )
        said: dict[str, list[str]] = {}
        for number, line in enumerate(lines(op, told), 1):
            name, tab, sentence = line.partition("\t")
            if line.strip():
                if not tab or "#" not in name:
                    raise damaged(op, told, number, "a name, #, a number, a tab, a sentence", line)
                said.setdefault(name.rpartition("#")[0], []).append(sentence)
        said = {name: said[name] for name in sorted(said)}
        some(op, list(said), path)
        columns = {
            "image": [path / name for name in said],
            "annotation": [np.array(sentences) for sentences in said.values()],
        }
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._over(PictureTable(op, columns, decode), *picked, dataset_dir=str(path))


class SBUDataset(TableDataset):
    """Photographs with captions: ``image`` uint8, ``caption`` a string. Photographs that are listed
    but not there are left out.

    Args:
        dataset_dir (str): the folder with ``sbu_images`` and the lists of URLs and captions.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a list can't be read, or they differ in length; later, when an image can't be
            read.

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
        op = "SBUDataset"
        path = folder(op, dataset_dir)
        urls, captions = (
            lines(op, path / f"SBU_captioned_photo_dataset_{what}.txt")
            for what in ("urls", "captions")
        )
        if len(urls) != len(captions):
            raise RuntimeError(
                f"{op}: the lists must be as long as each other, got {len(urls)} URLs and "
                f"{len(captions)} captions. ({path})"
            )
        # A URL http://static.flickr.com/3326/359.jpg is the file m_3326_359.jpg.
        beyond = len("http://static.flickr.co")
        files = [path / "sbu_images" / url.strip()[beyond:].replace("/", "_") for url in urls]
        rows = [(file, said) for file, said in zip(files, captions) if file.is_file()]
        some(op, rows, path)
        columns = {
            "image": [file for file, _ in rows],
            "caption": [np.array(said) for _, said in rows],
        }
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._over(PictureTable(op, columns, decode), *picked, dataset_dir=str(path))
