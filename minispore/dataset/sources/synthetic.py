"""FakeImageDataset and RandomDataset: rows of random numbers, for experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset import check, config
from minispore.dataset.schema import Schema
from minispore.dataset.sources.table import ArrayTable, TableDataset

_DEFAULT_COLUMNS = 3  # without a schema
_DEFAULT_ROWS = 1000


class FakeImageDataset(TableDataset):
    """Random images: ``image`` uint8, ``label`` uint32; equal for equal ``base_seed``.

    Args:
        num_images (int): the number of images. Default: ``1000``.
        image_size (tuple): height, width, channels. Default: ``(224, 224, 3)``.
        num_classes (int): the number of classes; labels are less. Default: ``10``.
        base_seed (int): the seed of images and labels. Default: ``0``.
        num_samples, num_parallel_workers, shuffle, sampler: as for :class:`MnistDataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.

    Example:
        >>> import minispore.dataset as ds
        >>> data = ds.FakeImageDataset(4, (2, 2, 3), num_classes=5)
        >>> data.output_shapes(), data.get_dataset_size()
        ([[2, 2, 3], []], 4)
    """

    def __init__(
        self,
        num_images: int = 1000,
        image_size: Sequence[int] = (224, 224, 3),
        num_classes: int = 10,
        base_seed: int = 0,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "FakeImageDataset"
        count = check.int32(api_name, "num_images", num_images, 1)
        if not isinstance(image_size, list | tuple):
            rule = "be a list or a tuple"
            raise check.wrong_type(api_name, "image_size", rule, image_size, list, tuple)
        if len(image_size) != 3:
            raise ValueError(
                f"{api_name}: image_size must be three sizes, got {image_size!r}: image_size "
                f"should be a list or tuple of length 3, but got {len(image_size)}."
            )
        shape = tuple(
            check.int32(api_name, f"image_size[{i}]", size, 1) for i, size in enumerate(image_size)
        )
        self._classes = check.int32(api_name, "num_classes", num_classes, 1)
        check.int32(api_name, "base_seed", base_seed, 0)
        table = _NoiseTable(shape, count, self._classes, base_seed)
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(table, *options, num_images=count, base_seed=base_seed)

    def num_classes(self) -> int:
        """Return the number of classes."""
        return self._classes


class _NoiseTable(ArrayTable):
    """Images that are drawn when read: row i from the seed (seed, i)."""

    def __init__(self, shape: tuple[int, ...], count: int, classes: int, seed: int) -> None:
        labels = np.random.default_rng(seed).integers(classes, size=count).astype(np.uint32)
        super().__init__({"image": np.arange(count), "label": labels})
        self._shape, self._seed = shape, seed

    def read_rows(self, index: np.ndarray) -> Any:
        """Return the rows, with each image drawn from its own seed."""
        block = super().read_rows(index)
        images = [
            np.random.default_rng((self._seed, i)).integers(256, size=self._shape, dtype=np.uint8)
            for i in index.tolist()
        ]
        return block.replace({**block.columns, "image": np.stack(images)})


class RandomDataset(TableDataset):
    """Rows of random numbers, with the columns of a schema.

    Args:
        total_rows (int, optional): the number of rows. Default: ``None``, 1000.
        schema (str or Schema, optional): the columns, as a Schema or its file. Default: ``None``,
            three float32 columns.
        columns_list (list, optional): use only these columns. Default: ``None``, all.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): accepted; the rows are in memory.
        cache (DatasetCache, optional): caches the rows, see :class:`DatasetCache`.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        num_shards, shard_id (int, optional): read only the rows of one shard.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
    """

    reads_files = False

    def __init__(
        self,
        total_rows: int | None = None,
        schema: str | Schema | None = None,
        columns_list: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        cache: Any = None,
        shuffle: bool | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        api_name = "RandomDataset"
        if schema is not None and not isinstance(schema, str | Schema):
            raise TypeError(
                f"{api_name}: schema must be a Schema or the name of its file, got {schema!r}."
            )
        if isinstance(schema, str):
            schema = Schema(schema)
        rows = check.int32(api_name, "total_rows", total_rows or 0, 0)
        rows = rows or (schema.num_rows if schema is not None else 0) or _DEFAULT_ROWS
        formats: dict[str, tuple[np.dtype, tuple[int, ...]]] = {
            f"c{i}": (np.dtype(np.float32), (1,)) for i in range(_DEFAULT_COLUMNS)
        }
        if schema is not None:
            formats = {c.name: (c.dtype, c.fixed_shape or (1,)) for c in schema.columns.values()}
        if columns_list is not None:
            names = check.names(api_name, "columns_list", columns_list)
            check.check_columns_exist(api_name, "columns_list", names, list(formats))
            formats = {name: formats[name] for name in names}
        rng = np.random.default_rng(config.effective_seed())
        columns: dict[str, np.ndarray | list] = {
            name: _draw_values(rng, (rows, *shape), dtype)
            for name, (dtype, shape) in formats.items()
        }
        options = num_samples, num_parallel_workers, shuffle, None, num_shards, shard_id, cache
        self._init_over_table(ArrayTable(columns), *options, total_rows=rows)


def _draw_values(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Draw random values: any integers, floats in [0, 1), and digits for strings."""
    if dtype.kind == "b":
        return rng.integers(2, size=shape).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, size=shape, dtype=dtype, endpoint=True)
    if dtype.kind == "f":
        return rng.random(shape).astype(dtype)
    return rng.integers(10, size=shape).astype(np.str_)
