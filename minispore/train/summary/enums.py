"""Enumerations of the kinds of values in a summary, and of its modes."""

from __future__ import annotations

from enum import Enum


class BaseEnum(Enum):
    """The base of enumerations whose values can be listed."""

    @classmethod
    def to_list(cls) -> list[str]:
        """Return the values in the order of their definition.

        >>> ModeEnum.to_list()
        ['train', 'eval']
        """
        return [member.value for member in cls]


class PluginEnum(BaseEnum):
    """The kind of a summary value."""

    GRAPH = "graph"
    SCALAR = "scalar"
    IMAGE = "image"
    TENSOR = "tensor"
    HISTOGRAM = "histogram"
    TRAIN_LINEAGE = "train_lineage"
    EVAL_LINEAGE = "eval_lineage"
    CUSTOM_LINEAGE_DATA = "custom_lineage_data"
    DATASET_GRAPH = "dataset_graph"
    EXPLAINER = "explainer"
    LANDSCAPE = "landscape"


class ModeEnum(BaseEnum):
    """The mode of the run that a summary belongs to."""

    TRAIN = "train"
    EVAL = "eval"


__all__ = ["ModeEnum", "PluginEnum"]
