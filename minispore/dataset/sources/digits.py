"""Datasets of many small pictures in one file: QMnistDataset, STL10Dataset, SVHNDataset, ..."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.formats import idx, mat
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.records import Shuffle, check_shuffle
from minispore.dataset.sources.table import FileTable, TableDataset

_ImagesAndLabels = tuple[np.ndarray, np.ndarray]  # images, labels


def _make_table(
    api_name: str, path: Path, files: list[str], load: Callable[[list[Path]], _ImagesAndLabels]
) -> FileTable:
    """Make the table of the images and labels that ``load`` reads from files, which must exist."""

    def list_files() -> list[Path]:
        """Return the paths of all files.

        Raises:
            RuntimeError: a file is missing.
        """
        missing = [name for name in files if not (path / name).is_file()]
        if missing or not files:
            raise RuntimeError(
                f"{api_name}: dataset_dir must hold {', '.join(missing) or 'files'}. It is {path}."
            )
        return [path / name for name in files]

    def load_columns() -> dict[str, np.ndarray | list]:
        """Load the columns ``image`` and ``label``.

        Raises:
            RuntimeError: files are missing, or the numbers of images and labels differ.
        """
        images, labels = load(list_files())
        if len(images) != len(labels):
            raise RuntimeError(
                f"{api_name}: the files must have as many labels as images, {len(images)}, got "
                f"{len(labels)}. ({path})"
            )
        return {"image": images, "label": labels}

    return FileTable(("image", "label"), list_files, load_columns)


class EMnistDataset(TableDataset):
    """Handwritten letters and digits: ``image`` uint8 (28, 28, 1), ``label`` uint32.

    Args:
        dataset_dir (str): the folder with ``emnist-mnist-train-images-idx3-ubyte``, ...
        name (str): ``"byclass"``, ``"bymerge"``, ``"balanced"``, ``"letters"``, ``"digits"`` or
            ``"mnist"``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: ``None``, all existing
            files.
        num_samples, num_parallel_workers, shuffle, sampler: as for :class:`MnistDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing or damaged.

    Source: G. Cohen, S. Afshar, J. Tapson, A. van Schaik, EMNIST, 2017.
    """

    def __init__(
        self,
        dataset_dir: str,
        name: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "EMnistDataset"
        path = check_folder(api_name, dataset_dir)
        names = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")
        check.one_of(api_name, "name", name, names)
        check.one_of(api_name, "usage", usage, ("train", "test", "all", None))
        parts = [usage] if usage in ("train", "test") else ["test", "train"]
        file_pairs = [
            [f"emnist-{name}-{part}-{kind}-ubyte" for kind in ("images-idx3", "labels-idx1")]
            for part in parts
        ]
        if len(parts) == 2:
            # A folder may hold only one part. If one file of a part exists, both files are listed,
            # so that an error can name the missing one.
            file_pairs = [p for p in file_pairs if any((path / file).is_file() for file in p)]
        files = [file for pair in file_pairs for file in pair]
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = _make_table(api_name, path, files, _read_idx_pairs)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


def _read_idx_pairs(files: list[Path]) -> _ImagesAndLabels:
    """Read images (N, H, W, 1) and labels from pairs of IDX files, the images first."""
    images = np.concatenate([idx.read(file, 3) for file in files[::2]])
    labels = np.concatenate([idx.read(file, 1) for file in files[1::2]])
    return images[..., None], labels.astype(np.uint32)


class QMnistDataset(TableDataset):
    """MNIST, reconstructed from its sources.

    Columns: ``image`` uint8 (28, 28, 1); ``label`` uint32, or with all extra information uint32
    (8,).

    Args:
        dataset_dir (str): the folder with ``qmnist-train-images-idx3-ubyte``, ...
        usage (str, optional): ``"train"``, ``"test"``, its parts ``"test10k"`` and ``"test50k"``,
            ``"nist"`` or ``"all"``. Default: ``None``, all.
        compat (bool): whether the label is only the digit, as in MNIST. Default: ``True``.
        num_samples, num_parallel_workers, shuffle, sampler: as for :class:`MnistDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing or damaged.

    Source: C. Yadav, L. Bottou, Cold case: the lost MNIST digits, 2019.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        compat: bool = True,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "QMnistDataset"
        path = check_folder(api_name, dataset_dir)
        usages = ("train", "test", "test10k", "test50k", "nist", "all", None)
        check.one_of(api_name, "usage", usage, usages)
        check.boolean(api_name, "compat", compat)
        names = {"train": "qmnist-train", "test": "qmnist-test", "nist": "xnist"}
        part = "test" if str(usage).startswith("test") else usage
        prefixes = list(names.values()) if usage in ("all", None) else [names[str(part)]]
        files = [
            f"{name}-{file_type}"
            for name in prefixes
            for file_type in ("images-idx3-ubyte", "labels-idx2-int")
        ]
        rows = {"test10k": (0, 10000), "test50k": (10000, 60000)}.get(str(usage))

        def load(paths: list[Path]) -> _ImagesAndLabels:
            """Read the images and labels of the usage from pairs of IDX files.

            Raises:
                RuntimeError: the file has too few images.
            """
            images = np.concatenate([idx.read(file, 3) for file in paths[::2]])[..., None]
            labels = np.concatenate([idx.read(f, 2, ">i4") for f in paths[1::2]]).astype(np.uint32)
            if rows is not None:
                if len(images) < rows[1]:
                    raise RuntimeError(
                        f"{api_name}: {paths[0]} must have {rows[1]} images of {usage!r}."
                    )
                images, labels = images[slice(*rows)], labels[slice(*rows)]
            return images, np.ascontiguousarray(labels[:, 0]) if compat else labels

        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = _make_table(api_name, path, files, load)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


class STL10Dataset(TableDataset):
    """Photographs of objects of 10 classes.

    Columns: ``image`` uint8 (96, 96, 3); ``label`` int32, -1 if unknown.

    Args:
        dataset_dir (str): the folder with ``train_X.bin``, ``train_y.bin``, ``test_X.bin``,
            ``test_y.bin`` and ``unlabeled_X.bin``.
        usage (str, optional): ``"train"``, ``"test"``, ``"unlabeled"``, ``"train+unlabeled"`` or
            ``"all"``. Default: ``None``, all.
        num_samples, num_parallel_workers, shuffle, sampler: as for :class:`MnistDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing or damaged.

    Source: A. Coates, H. Lee, A. Y. Ng, An analysis of single-layer networks in unsupervised
    feature learning, 2011.
    """

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
        api_name = "STL10Dataset"
        path = check_folder(api_name, dataset_dir)
        usages = ("train", "test", "unlabeled", "train+unlabeled", "all", None)
        check.one_of(api_name, "usage", usage, usages)
        parts = ["test", "train", "unlabeled"] if usage in ("all", None) else str(usage).split("+")
        files = [f"{p}_{x}.bin" for p in parts for x in ("X", "y") if p != "unlabeled" or x == "X"]
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = _make_table(api_name, path, files, _read_stl10)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


def _read_stl10(files: list[Path]) -> _ImagesAndLabels:
    """Read binary files of images, each optionally followed by the file of its labels.

    Returns:
        Images (N, 96, 96, 3), and labels from 0 to 9, -1 for images without labels.

    Raises:
        RuntimeError: the last image of a file is incomplete.
    """
    images: list[np.ndarray] = []
    labels: list[np.ndarray] = []
    for file in files:
        raw = np.fromfile(file, np.uint8)
        if file.stem.endswith("_y"):
            labels[-1] = raw.astype(np.int32) - 1  # stored as 1 to 10
        elif len(raw) % (3 * 96 * 96):
            raise RuntimeError(f"{file.name}: must hold images of 3 x 96 x 96 bytes. ({file})")
        else:  # an image's planes are stored column by column
            images.append(raw.reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1))
            labels.append(np.full(len(images[-1]), -1, np.int32))
    return np.ascontiguousarray(np.concatenate(images)), np.concatenate(labels)


class SVHNDataset(TableDataset):
    """House numbers: ``image`` uint8 (32, 32, 3), ``label`` uint32, 0 to 9.

    Args:
        dataset_dir (str): the folder with ``train_32x32.mat``, ``test_32x32.mat`` and
            ``extra_32x32.mat``.
        usage (str, optional): ``"train"``, ``"test"``, ``"extra"`` or ``"all"``. Default: ``None``,
            all.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int): accepted; the rows are in memory. Default: ``1``.
        shuffle, sampler, num_shards, shard_id: as for :class:`MnistDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        FileNotFoundError: a file is missing; a ValueError if ``usage`` names it.
        RuntimeError: a file is damaged.

    Source: Y. Netzer and others, Reading digits in natural images with unsupervised feature
    learning, 2011.
    """

    rows_from_python = True

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        api_name = "SVHNDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, ("train", "test", "extra", "all", None))
        parts = ["train", "test", "extra"] if usage in ("all", None) else [str(usage)]
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        names = [f"{part}_32x32.mat" for part in parts]
        missing_error = FileNotFoundError if usage is None else ValueError  # as MindSpore has it
        for name in names:
            if not (path / name).is_file():
                raise missing_error(f"{api_name}: dataset_dir must hold {name}, got {path}.")
        table = _make_table(api_name, path, names, _read_svhn)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


def _read_svhn(files: list[Path]) -> _ImagesAndLabels:
    """Read images (N, H, W, C) and labels from MAT-files of X (H, W, C, N) and y.

    In y, 10 stands for the digit 0.

    Raises:
        RuntimeError: a file lacks these arrays.
    """
    images, labels = [], []
    for file in files:
        variables = mat.read(file)
        if "X" not in variables or "y" not in variables or variables["X"].ndim != 4:
            raise RuntimeError(f"{file.name}: must hold the images X and the labels y. ({file})")
        images.append(variables["X"].transpose(3, 0, 1, 2).astype(np.uint8))
        # the digit 0 is stored as 10
        labels.append(variables["y"].reshape(-1).astype(np.uint32) % 10)
    return np.ascontiguousarray(np.concatenate(images)), np.concatenate(labels)


class SemeionDataset(TableDataset):
    """Handwritten digits in black and white: ``image`` uint8 (16, 16), ``label`` uint32.

    Args:
        dataset_dir (str): the folder with ``semeion.data``.
        num_samples, num_parallel_workers, shuffle, sampler: as for :class:`MnistDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: the file is missing or damaged.

    Source: M. Buscema, MetaNet: the theory of independent judges, 1998.
    """

    no_classes_error = RuntimeError

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "SemeionDataset"
        path = check_folder(api_name, dataset_dir)
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(
            _make_table(api_name, path, ["semeion.data"], _read_semeion),
            *options,
            dataset_dir=str(path),
        )


def _read_semeion(files: list[Path]) -> _ImagesAndLabels:
    """Read images (N, 16, 16) and labels from lines of 256 pixels and a one-hot label.

    Raises:
        RuntimeError: a line has a wrong number of values.
    """
    try:
        rows = [
            [float(n) for n in line.split()]
            for line in files[0].read_text().splitlines()
            if line.strip()
        ]
        values = np.array(rows).astype(np.uint8).reshape(len(rows), 266)
    except ValueError as exc:
        raise RuntimeError(f"{files[0]}: must have 266 numbers in each line. {exc}") from exc
    labels = values[:, 256:].argmax(1).astype(np.uint32)
    return np.ascontiguousarray(values[:, :256]).reshape(-1, 16, 16), labels


class USPSDataset(TableDataset):
    """Digits of postal codes: ``image`` uint8 (16, 16, 1), ``label`` uint32.

    Args:
        dataset_dir (str): the folder with ``usps`` and ``usps.t``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: ``None``, all.
        num_samples, num_parallel_workers: as for :class:`MnistDataset`.
        shuffle (bool or Shuffle): whether rows come in random order. Default: ``Shuffle.GLOBAL``.
        num_shards, shard_id, cache: as for :class:`MnistDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a file is missing or damaged.

    Source: J. J. Hull, A database for handwritten text recognition research, 1994.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "USPSDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, ("train", "test", "all", None))
        check.shards(api_name, num_shards, shard_id)
        files = {"train": ["usps"], "test": ["usps.t"]}.get(str(usage), ["usps", "usps.t"])
        is_shuffled = check_shuffle(api_name, shuffle) is not Shuffle.FALSE
        options = num_samples, num_parallel_workers, is_shuffled, None, num_shards, shard_id, cache
        table = _make_table(api_name, path, files, _read_usps)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


def _read_usps(files: list[Path]) -> _ImagesAndLabels:
    """Read lines of a label from 1 to 10 and 256 numbered values in [-1, 1].

    Returns:
        Images (N, 16, 16, 1), scaled to uint8, and labels from 0 to 9.

    Raises:
        RuntimeError: a line is invalid.
    """
    rows = []
    for file in files:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            try:
                label, *values = line.split()
                row = [int(label) - 1, *(float(v.partition(":")[2]) for v in values)]
            except ValueError as exc:
                raise RuntimeError(
                    f"line {number} of {file} must be a label and values. {exc}"
                ) from exc
            if len(row) != 257:
                raise RuntimeError(
                    f"line {number} of {file} must have 256 values, got {len(row) - 1}."
                )
            rows.append(row)
    table = np.array(rows, np.float32).astype(np.float64)  # values are read as float32
    images = ((table[:, 1:] + 1) / 2 * 255).astype(np.uint8).reshape(-1, 16, 16, 1)
    return images, table[:, 0].astype(np.uint32)
